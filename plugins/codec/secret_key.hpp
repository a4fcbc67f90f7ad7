// Secret key: 32 bytes that are overwritten when they are no longer needed.
#pragma once

#include <array>
#include <cstddef>

namespace mqb::codec {

inline constexpr std::size_t key_size = 32;

class secret_key {
public:
    secret_key() = default;
    secret_key(const secret_key&) = default;
    secret_key& operator=(const secret_key&) = default;
    ~secret_key();

    unsigned char* data() noexcept { return bytes_.data(); }
    const unsigned char* data() const noexcept { return bytes_.data(); }

private:
    std::array<unsigned char, key_size> bytes_{};
};

}  // namespace mqb::codec
