#include "core/middlewares/retry_policy.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace mqb::core {

namespace {

constexpr double ns_per_ms = 1e6;
constexpr double shortest_ns = 1 * ns_per_ms;  // a configured pause of 0 must not become a loop without one
constexpr double longest_setting = 1e15;       // in ns, 11 days; keeps every sum of times far from its limit

// A number of the configuration; what is not there keeps its default.
class settings {
public:
    explicit settings(const boost::json::object& from) : from_(from) {}
    void read(const char* name, double lowest, double highest, double& into) {
        const boost::json::value* v = from_.if_contains(name);
        if (!v || v->is_null() || !why_.empty()) return;
        boost::system::error_code failed;
        const auto number = v->to_number<double>(failed);
        if (failed || !(number >= lowest) || !(number <= highest))
            why_ = std::string{name} + ": has to be a number from " + text(lowest) + " to " + text(highest);
        else
            into = number;
    }
    [[nodiscard]] const std::string& why() const noexcept { return why_; }

private:
    static std::string text(double n) { return std::to_string(static_cast<std::int64_t>(n)); }
    const boost::json::object& from_;
    std::string why_;
};

}  // namespace

result<retry_policy> retry_policy::read(std::string_view config) {
    boost::system::error_code failed;
    const boost::json::value value = boost::json::parse({config.data(), config.size()}, failed);
    if (failed) return failure{status::bad_config, failed.message()};
    if (!value.is_object() && !value.is_null()) return failure{status::bad_config, "has to be a map"};
    const boost::json::object none;
    settings from{value.is_object() ? value.get_object() : none};
    retry_policy out;
    constexpr double longest_ms = longest_setting / ns_per_ms;
    double attempts = out.max_attempts, initial = 100, longest = 5000, elapsed = 0;
    from.read("max_attempts", 0, UINT32_MAX, attempts);
    from.read("initial_interval_ms", 0, longest_ms, initial);
    from.read("max_interval_ms", 0, longest_ms, longest);
    from.read("multiplier", 0, longest_ms, out.multiplier);
    from.read("jitter", 0, 1, out.jitter);
    from.read("max_elapsed_ms", 0, longest_ms, elapsed);
    if (!from.why().empty()) return failure{status::bad_config, from.why()};
    out.max_attempts = std::max(1u, static_cast<std::uint32_t>(attempts));
    out.initial_ns = initial * ns_per_ms;
    out.longest_ns = longest * ns_per_ms;
    out.max_elapsed_ns = static_cast<std::uint64_t>(elapsed * ns_per_ms);
    return out;
}

std::uint64_t retry_policy::pause(std::uint32_t tries, double spread) const noexcept {
    double ns = initial_ns * std::pow(multiplier, tries > 0 ? tries - 1 : 0);
    if (!(ns < longest_ns)) ns = longest_ns;  // also what is no number any more
    ns *= 1 + jitter * spread;
    return static_cast<std::uint64_t>(std::llround(std::max(ns, shortest_ns)));
}

bool retry_policy::is_over(std::uint32_t tries, std::uint64_t first_at, std::uint64_t due) const noexcept {
    return tries >= max_attempts || (max_elapsed_ns != 0 && due - first_at >= max_elapsed_ns);
}

}  // namespace mqb::core
