// Verdict: what a case found, the exceptions that end a case early, and the record of broken rules.
#pragma once
#include <string>
#include <vector>

namespace mqb::conformance {

enum class verdict { pass, fail, crash, timeout, skip };
const char* name_of(verdict);

// A sentence of the ABI headers.
struct rule {
    const char* header;
    const char* text;
};

// Ends a case: the plugin broke a rule.
struct failure {
    std::string rule;
    std::string reason;
};
// Ends a case: it does not apply here.
struct skipped {
    std::string reason;
};

[[noreturn]] void fail(const rule&, const std::string& reason);
[[noreturn]] void skip(const std::string& reason);
inline void require(bool holds, const rule& r, const std::string& reason) {
    if (!holds) fail(r, reason);
}

// [any] Notes a broken rule from inside a callback, where nothing may be thrown. The case fails at its next checkpoint.
void note(const rule&, const std::string& reason) noexcept;
// Fails with the first noted rule, if any.
void checkpoint();
// [any] Something an author should know that breaks no rule.
void warn(const std::string&) noexcept;

struct notes {
    std::vector<failure> broken;
    std::vector<std::string> warnings;
};
notes take_notes();

struct result {
    std::string name, factory;
    verdict found = verdict::pass;
    std::string rule, reason, output;
    std::vector<std::string> warnings;
    double seconds = 0;
};

}  // namespace mqb::conformance
