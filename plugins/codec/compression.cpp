#include "codec/formats.hpp"

namespace mqb::codec {
namespace {

using namespace std::string_view_literals;

// Of lz4 and zstd: a frame that holds no data, whose first byte is one of sixteen.
constexpr std::string_view skippable = "\x2a\x4d\x18"sv;

constexpr std::string_view magic_of(compression kind) noexcept {
    switch (kind) {
        case compression::gzip: return "\x1f\x8b"sv;
        case compression::lz4: return "\x04\x22\x4d\x18"sv;
        case compression::zstd: return "\x28\xb5\x2f\xfd"sv;
        default: return {};
    }
}

bool agree(std::string_view bytes, std::string_view magic) noexcept {
    const std::size_t size = bytes.size() < magic.size() ? bytes.size() : magic.size();
    return bytes.substr(0, size) == magic.substr(0, size);
}

}  // namespace

std::string_view name_of(compression kind) noexcept {
    switch (kind) {
        case compression::gzip: return "gzip";
        case compression::lz4: return "lz4";
        case compression::zstd: return "zstd";
        default: return "none";
    }
}

compression compression_of_name(std::string_view file_name) noexcept {
    if (file_name.ends_with(".enc")) file_name.remove_suffix(4);
    if (file_name.ends_with(".gz")) return compression::gzip;
    if (file_name.ends_with(".lz4")) return compression::lz4;
    if (file_name.ends_with(".zst")) return compression::zstd;
    return compression::none;
}

bool may_begin(compression kind, std::string_view bytes) noexcept {
    if (kind == compression::none) return false;
    if (agree(bytes, magic_of(kind))) return true;
    const bool has_skippable = kind != compression::gzip && !bytes.empty() && (static_cast<unsigned char>(bytes.front()) & 0xf0) == 0x50;
    return has_skippable && agree(bytes.substr(1), skippable);
}

compression compression_of_bytes(std::string_view bytes) noexcept {
    for (const compression kind : {compression::gzip, compression::lz4, compression::zstd})
        if (bytes.starts_with(magic_of(kind))) return kind;
    return compression::none;
}

std::unique_ptr<compressor> make_compressor(compression kind) {
    switch (kind) {
        case compression::gzip: return make_gzip_compressor();
        case compression::lz4: return make_lz4_compressor();
        case compression::zstd: return make_zstd_compressor();
        default: return nullptr;
    }
}

std::unique_ptr<decompressor> make_decompressor(compression kind) {
    switch (kind) {
        case compression::gzip: return make_gzip_decompressor();
        case compression::lz4: return make_lz4_decompressor();
        case compression::zstd: return make_zstd_decompressor();
        default: return nullptr;
    }
}

}  // namespace mqb::codec
