// failure_script: which calls of a fake endpoint fail, and how.
#pragma once

#include "tests/shapes/journal.hpp"

#include <map>
#include <optional>
#include <random>
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
    // Every call fails with this chance, each in a class of its own choice.
    void sometimes(double chance, std::uint64_t seed) {
        chance_ = chance;
        random_.seed(static_cast<std::uint32_t>(seed));
    }
    void clear() {
        faults_.clear();
        every_.clear();
        chance_ = 0;
    }
    // Counts one call of this verb.
    [[nodiscard]] std::optional<fault> next(verb what) {
        const std::uint32_t n = ++calls_[what];
        if (auto at = faults_.find({what, n}); at != faults_.end()) return at->second;
        if (auto at = every_.find(what); at != every_.end()) return at->second;
        if (chance_ > 0 && std::uniform_real_distribution<double>{}(random_) < chance_) return any(what);
        return std::nullopt;
    }
    [[nodiscard]] std::uint32_t calls_of(verb what) const {
        auto at = calls_.find(what);
        return at == calls_.end() ? 0 : at->second;
    }

private:
    [[nodiscard]] std::optional<fault> any(verb what) {
        using core::status;
        const auto pick = [this](auto... of) {
            const std::common_type_t<decltype(of)...> all[] = {of...};
            return all[random_() % sizeof...(of)];
        };
        const auto some = [&](auto result, status s) {
            return fault{.status = s,
                         .result = static_cast<std::int32_t>(result),
                         .first = static_cast<std::uint32_t>(random_() % 4),
                         .count = 1 + static_cast<std::uint32_t>(random_() % 4)};
        };
        switch (what) {
            case verb::connect: return fault{.status = pick(status::retry, status::disconnected, status::rejected)};
            case verb::receive: return fault{.status = pick(status::retry, status::disconnected, status::cancelled)};
            case verb::settle:
                if (random_() % 4 == 0) return fault{.status = pick(status::retry, status::disconnected)};
                return some(pick(core::settle_result::retry, core::settle_result::gone), status::ok);
            case verb::send:
                if (random_() % 4 == 0) return fault{.status = pick(status::retry, status::disconnected)};
                return some(
                    pick(core::send_result::again, core::send_result::unsent, core::send_result::uncertain, core::send_result::refused),
                    pick(status::ok, status::ok, status::retry, status::disconnected));
            case verb::flush: return fault{.status = pick(status::retry, status::disconnected)};
            case verb::free_batch:
            case verb::lanes_done:
            case verb::close:
            case verb::cancel: break;
        }
        return std::nullopt;
    }

    double chance_ = 0;
    std::minstd_rand random_;
    std::map<std::pair<verb, std::uint32_t>, fault> faults_;
    std::map<verb, fault> every_;
    std::map<verb, std::uint32_t> calls_;
};

}  // namespace mqb::shapes
