#include "core/source_lag.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

namespace mqb::core {

std::optional<source_lag> lag_of(std::string_view json) {
    boost::system::error_code failed;
    const boost::json::value read = boost::json::parse({json.data(), json.size()}, failed);
    if (failed || !read.is_object()) return std::nullopt;
    const auto number = [&](const char* key) -> std::optional<std::uint64_t> {
        const boost::json::value* found = read.get_object().if_contains(key);
        if (!found) return std::nullopt;
        boost::system::error_code not_whole;
        const auto n = found->to_number<std::uint64_t>(not_whole);
        return not_whole ? std::nullopt : std::optional{n};
    };
    const source_lag out{number("messages"), number("bytes")};
    return out.messages || out.bytes ? std::optional{out} : std::nullopt;
}

}  // namespace mqb::core
