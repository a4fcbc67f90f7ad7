#include "host/state/letter.hpp"

#include "host/state/letter_json.hpp"
#include "host/state/metadata_entry.hpp"
#include "host/state/utf8.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

namespace mqb::state {

bool letter_filter::is_open() const noexcept {
    return ids.empty() && route.empty() && endpoint.empty() && !why && !since && !until && error.empty();
}

std::string_view class_name(core::death why) noexcept {
    switch (why) {
        case core::death::refused: return "refused";
        case core::death::given_up: return "exhausted";
        case core::death::max_deliveries: return "max_deliveries";
    }
    return "unknown";
}

std::optional<core::death> class_of(std::string_view name) noexcept {
    for (const auto why : {core::death::refused, core::death::given_up, core::death::max_deliveries})
        if (name == class_name(why)) return why;
    return std::nullopt;
}

std::string source_json(const core::message& m) {
    constexpr std::string_view digits = "0123456789abcdef";
    constexpr std::string_view prefix = "mqb.src.";
    std::string id;
    for (const std::uint8_t byte : m.id) id.append({digits[byte >> 4], digits[byte & 15]});
    boost::json::object out;
    out["message_id"] = id;
    out["lane"] = m.lane;
    out["delivery_count"] = m.delivery_count;
    metadata_walk walk{m.metadata.text()};
    while (const auto entry = walk.next())
        if (entry->key.starts_with(prefix) && is_utf8(entry->key)) out[{entry->key.data(), entry->key.size()}] = value_text(*entry);
    return boost::json::serialize(out);
}

}  // namespace mqb::state
