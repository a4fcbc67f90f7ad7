#include "host/config/order_key.hpp"

#include "core/templates/renderer.hpp"

#include <mqb/metadata.h>

#include <memory>
#include <string>
#include <utility>

namespace mqb::config {

namespace {

// FNV-1a, with its bits mixed once more: workers are chosen by the low ones.
std::uint64_t hash(const void* data, std::size_t size, std::uint64_t seed) noexcept {
    const auto* bytes = static_cast<const unsigned char*>(data);
    std::uint64_t h = 0xcbf29ce484222325u ^ seed;
    for (std::size_t i = 0; i < size; ++i) h = (h ^ bytes[i]) * 0x100000001b3u;
    h = (h ^ (h >> 32)) * 0xd6e8feb86659fd93u;
    return h ^ (h >> 32);
}

std::uint64_t of_metadata(const core::message& m, const std::string& key) {
    const mqb_buffer block{m.metadata.data, m.metadata.size, nullptr};
    mqb_meta found{};
    if (m.metadata.size == 0 || mqb_meta_get(&block, {key.data(), key.size()}, &found) != 1 || found.type == MQB_META_NULL) return 0;
    return hash(found.value.data, found.value.size, 1);
}

// The text of a template, as a number.
struct rendered_key {
    explicit rendered_key(core::templates::text_template t) : from(std::move(t)) {}
    std::uint64_t of(const core::message& m) {
        text.clear();
        const bool is_whole = by.append(text, from, m).is_whole();
        const std::uint64_t out = is_whole ? hash(text.data(), text.size(), 1) : 0;
        if (text.capacity() > most_kept) std::string{}.swap(text);
        return out;
    }
    static constexpr std::size_t most_kept = 1u << 20;
    const core::templates::text_template from;
    core::templates::renderer by;
    std::string text;
};

core::failure mistake(std::string text, std::string excerpt = {}) {
    return {core::status::bad_config, std::move(text), std::move(excerpt)};
}

// Of a text that is nothing but `${metadata:KEY}`; empty for anything else.
std::string_view metadata_key(std::string_view text) noexcept {
    constexpr std::string_view begin = "${metadata:";
    if (!text.starts_with(begin) || text.find('}') != text.size() - 1) return {};
    const std::string_view key = text.substr(begin.size(), text.size() - begin.size() - 1);
    return key.find_first_of("| \t\r\n") == std::string_view::npos ? key : std::string_view{};
}

}  // namespace

core::result<order_key> read_order_key(std::string_view text) {
    if (text == "${lane}") return order_key{[](const core::message& m) { return hash(&m.lane, sizeof m.lane, 0); }};
    auto made = core::templates::compile(text);
    if (!made) return mistake(made.error().text, core::expressions::excerpt(text, made.error()));
    if (made->generates()) return mistake("has to be the same each time a message comes: no ${gen:…}");
    if (!made->reads_message())
        return mistake("is the same for all messages: it wants ${metadata:KEY}, ${payload:FIELD}, ${message:id} or ${lane}");
    if (text == "${message:id}") return order_key{[](const core::message& m) { return hash(m.id.data(), m.id.size(), 0); }};
    if (std::string key{metadata_key(text)}; !key.empty())
        return order_key{[name = std::move(key)](const core::message& m) { return of_metadata(m, name); }};
    return order_key{[key = std::make_shared<rendered_key>(std::move(*made))](const core::message& m) { return key->of(m); }};
}

}  // namespace mqb::config
