// FIPS 180-4, section 6.2.
#include "host/loading/sha256.hpp"

#include "host/loading/regular_file.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>

namespace mqb::loading {

namespace {

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
constexpr std::array<std::uint32_t, 64> round_constants{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
    0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
    0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
    0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
    0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
    0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

class sum {
public:
    void add(const unsigned char* p, std::size_t n) {
        size_ += n;
        while (n > 0) {
            const std::size_t part = std::min(n, block_.size() - filled_);
            std::memcpy(block_.data() + filled_, p, part);
            filled_ += part;
            p += part;
            n -= part;
            if (filled_ == block_.size()) mix();
        }
    }

    std::string finish() {
        const std::uint64_t bits = size_ * 8;
        const unsigned char one = 0x80;
        add(&one, 1);
        const unsigned char zero = 0;
        while (filled_ != 56) add(&zero, 1);
        unsigned char length[8];
        for (int i = 0; i < 8; ++i) length[i] = static_cast<unsigned char>(bits >> (56 - 8 * i));
        add(length, sizeof length);
        std::string out;
        for (const std::uint32_t word : state_)
            for (int shift = 28; shift >= 0; shift -= 4) out += "0123456789abcdef"[(word >> shift) & 15];
        return out;
    }

private:
    void mix() {
        std::array<std::uint32_t, 64> w;
        for (std::size_t i = 0; i < 16; ++i)
            w[i] = std::uint32_t{block_[4 * i]} << 24 | std::uint32_t{block_[4 * i + 1]} << 16 | std::uint32_t{block_[4 * i + 2]} << 8 |
                   block_[4 * i + 3];
        for (std::size_t i = 16; i < 64; ++i) {
            const std::uint32_t a = w[i - 15], b = w[i - 2];
            w[i] =
                w[i - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ (a >> 3)) + w[i - 7] + (std::rotr(b, 17) ^ std::rotr(b, 19) ^ (b >> 10));
        }
        auto s = state_;
        for (std::size_t i = 0; i < 64; ++i) {
            const std::uint32_t t1 = s[7] + (std::rotr(s[4], 6) ^ std::rotr(s[4], 11) ^ std::rotr(s[4], 25)) +
                                     ((s[4] & s[5]) ^ (~s[4] & s[6])) + round_constants[i] + w[i];
            const std::uint32_t t2 =
                (std::rotr(s[0], 2) ^ std::rotr(s[0], 13) ^ std::rotr(s[0], 22)) + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
            s = {t1 + t2, s[0], s[1], s[2], s[3] + t1, s[4], s[5], s[6]};
        }
        for (std::size_t i = 0; i < state_.size(); ++i) state_[i] += s[i];
        filled_ = 0;
    }

    std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    std::array<unsigned char, 64> block_{};
    std::size_t filled_ = 0;
    std::uint64_t size_ = 0;
};

}  // namespace

std::string sha256_of(std::string_view bytes) {
    sum s;
    s.add(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
    return s.finish();
}

std::string sha256_of_file(const std::filesystem::path& file) {
    regular_file in{file};
    if (!in.is_open()) return {};
    sum s;
    std::array<char, 65536> part;
    for (;;) {
        const std::optional<std::size_t> size = in.read(part.data(), part.size());
        if (!size) return {};
        if (*size == 0) return s.finish();
        s.add(reinterpret_cast<const unsigned char*>(part.data()), *size);
    }
}

}  // namespace mqb::loading
