// failure_script: which calls of a fake endpoint fail, and how.
#pragma once

#include "tests/shapes/journal.hpp"

#include <map>
#include <optional>
#include <string>

namespace mqb::shapes {

struct fault {
    core::status status = core::status::ok;
    std::optional<std::int32_t> result{};  // of the entries named below; unset: as without a fault
    std::uint32_t first = 0;               // entry
    std::uint32_t count = UINT32_MAX;
    bool never = false;  // no answer at all
    std::string text = "the script said so";

    [[nodiscard]] bool names(std::uint32_t entry) const noexcept { return result && entry >= first && entry - first < count; }
};

// Calls are counted from 1, for each verb apart, over all consumers of one store.
class failure_script {
public:
    void fail(verb what, std::uint32_t nth, fault how) { faults_[{what, nth}] = std::move(how); }
    void always(verb what, fault how) { every_[what] = std::move(how); }
    void clear() {
        faults_.clear();
        every_.clear();
    }
    // Counts one call of this verb.
    [[nodiscard]] std::optional<fault> next(verb what) {
        const std::uint32_t n = ++calls_[what];
        if (auto at = faults_.find({what, n}); at != faults_.end()) return at->second;
        if (auto at = every_.find(what); at != every_.end()) return at->second;
        return std::nullopt;
    }
    [[nodiscard]] std::uint32_t calls_of(verb what) const {
        auto at = calls_.find(what);
        return at == calls_.end() ? 0 : at->second;
    }

private:
    std::map<std::pair<verb, std::uint32_t>, fault> faults_;
    std::map<verb, fault> every_;
    std::map<verb, std::uint32_t> calls_;
};

}  // namespace mqb::shapes
