// Packed test: what the tests of packed files share: members, sealed blocks and configurations.
#pragma once

#include <algorithm>
#include <memory>

#include "codec/compressor.hpp"
#include "encryption_config.hpp"
#include "packing.hpp"
#include "test_host.hpp"

namespace mqb::file::testing {

// Bytes 0 to 31, and all 32 of them 7.
inline constexpr const char* key_a = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
inline constexpr const char* key_b = "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=";

inline constexpr codec::compression every_compression[] = {codec::compression::gzip, codec::compression::lz4, codec::compression::zstd};

inline std::string member_of(codec::compression kind, std::string_view text) {
    struct collecting final : codec::sink {
        int take(std::string_view bytes) override {
            all += bytes;
            return 0;
        }
        std::string all;
    } out;
    const auto compressor = codec::make_compressor(kind);
    compressor->begin();
    compressor->add(text, true, out);
    return out.all;
}

inline encryption_config keys_of(const std::string& key, const std::string& id, codec::cipher cipher = codec::cipher::xchacha20poly1305) {
    encryption_config keys;
    keys.key = key;
    keys.key_id = id;
    keys.cipher = cipher;
    return keys;
}

inline std::string block_of(const encryption_config& keys, std::string_view text) {
    codec::sealer sealer = keys.sealer();
    std::string envelope(sealer.overhead() + text.size(), '\0');
    std::copy(text.begin(), text.end(), envelope.begin() + static_cast<std::ptrdiff_t>(sealer.head_size()));
    sealer.seal(envelope);
    std::string head;
    for (unsigned i = 0; i < block_head_size; ++i) head += static_cast<char>(std::uint64_t{envelope.size()} >> 8 * (7 - i));
    return head + envelope;
}

// `more`: other options, such as R"("compression":"gzip")".
inline std::string raw_config(const std::string& path, const std::string& more) {
    return R"({"path":")" + path + R"(","format":"raw",)" + more + "}";
}
inline std::string compressed_config(const std::string& path, codec::compression kind, const std::string& more = "") {
    return raw_config(path, R"("compression":")" + std::string(codec::name_of(kind)) + "\"" + more);
}
inline std::string sealed_config(const std::string& path, const std::string& key = key_a, const std::string& more = "",
                                 const std::string& block = "") {
    return raw_config(path, R"("encryption":{"key":")" + key + R"(","key_id":"k1")" + block + "}" + more);
}

// What a drain of the file gives, and why it ended: empty for END.
struct drained {
    explicit drained(const std::string& config) {
        consumer_under_test c(config);
        why = c.connect();
        if (!why.empty()) return;
        payloads = c.all(2);
        if (c.last != MQB_END) why = std::to_string(c.last) + ": " + c.why;
        warnings = c.host.warnings;
    }
    std::vector<std::string> payloads;
    std::string why;
    std::vector<std::string> warnings;
};

}  // namespace mqb::file::testing
