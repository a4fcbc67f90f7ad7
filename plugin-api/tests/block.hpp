// block: a metadata block that grows as entries are put to it, and short ways to say buffers and texts.
#pragma once

#include <mqb/metadata.h>

#include <cstdint>
#include <string_view>
#include <vector>

namespace mqb::test {

inline mqb_text text(std::string_view from) { return {from.data(), from.size()}; }
inline std::string_view view(const mqb_text& from) { return {from.data, from.size}; }
inline mqb_buffer buffer(const std::vector<std::uint8_t>& bytes) { return {bytes.data(), bytes.size(), nullptr}; }

struct block {
    std::vector<std::uint8_t> bytes;

    block& put(int type, std::string_view key, std::string_view value) {
        const std::size_t at = bytes.size();
        bytes.resize(mqb_meta_put(nullptr, 0, at, type, text(key), value.data(), value.size()));
        mqb_meta_put(bytes.data(), bytes.size(), at, type, text(key), value.data(), value.size());
        return *this;
    }
    block& put_int(int type, std::string_view key, std::uint64_t bits) {
        const std::size_t at = bytes.size();
        bytes.resize(mqb_meta_put_int(nullptr, 0, at, type, text(key), bits));
        mqb_meta_put_int(bytes.data(), bytes.size(), at, type, text(key), bits);
        return *this;
    }
    [[nodiscard]] mqb_buffer get() const { return buffer(bytes); }
};

}  // namespace mqb::test
