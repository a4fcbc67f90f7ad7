#include "verdict.hpp"

#include <algorithm>
#include <mutex>

namespace mqb::conformance {
namespace {
std::mutex guard;
notes kept;

std::string cited(const rule& r) { return std::string(r.header) + ": " + r.text; }
}  // namespace

const char* name_of(verdict v) {
    switch (v) {
        case verdict::pass: return "pass";
        case verdict::fail: return "fail";
        case verdict::crash: return "crash";
        case verdict::timeout: return "timeout";
        case verdict::skip: return "skip";
    }
    return "?";
}

void fail(const rule& r, const std::string& reason) {
    checkpoint();  // what was noted first explains best
    throw failure{cited(r), reason};
}
void skip(const std::string& reason) { throw skipped{reason}; }

void note(const rule& r, const std::string& reason) noexcept {
    std::lock_guard lock(guard);
    kept.broken.push_back({cited(r), reason});
}
void warn(const std::string& text) noexcept {
    std::lock_guard lock(guard);
    if (std::find(kept.warnings.begin(), kept.warnings.end(), text) == kept.warnings.end()) kept.warnings.push_back(text);
}
void checkpoint() {
    std::lock_guard lock(guard);
    if (kept.broken.empty()) return;
    failure first = kept.broken.front();
    kept.broken.clear();
    throw first;
}
notes take_notes() {
    std::lock_guard lock(guard);
    notes out;
    std::swap(out, kept);
    return out;
}

}  // namespace mqb::conformance
