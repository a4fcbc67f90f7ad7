#include "host/config/order_key.hpp"

#include <mqb/metadata.h>

#include <string>

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
    if (m.metadata.size == 0 || mqb_meta_get(&block, {key.data(), key.size()}, &found) != 1) return 0;
    return hash(found.value.data, found.value.size, 1);
}

}  // namespace

std::function<std::uint64_t(const core::message&)> read_order_key(std::string_view text) {
    constexpr std::string_view metadata = "${metadata:";
    if (text == "${lane}") return [](const core::message& m) { return hash(&m.lane, sizeof m.lane, 0); };
    if (text == "${message:id}") return [](const core::message& m) { return hash(m.id.data(), m.id.size(), 0); };
    if (!text.starts_with(metadata) || text.find('}') != text.size() - 1 || text.size() == metadata.size() + 1) return {};
    std::string key{text.substr(metadata.size(), text.size() - metadata.size() - 1)};
    if (key.find_first_of("|{$") != std::string::npos) return {};
    return [name = std::move(key)](const core::message& m) { return of_metadata(m, name); };
}

}  // namespace mqb::config
