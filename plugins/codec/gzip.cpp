#include "codec/broken.hpp"
#include "codec/formats.hpp"

#include <algorithm>
#include <limits>
#include <new>
#include <string>

#include <zlib.h>

namespace mqb::codec {
namespace {

constexpr int window_bits = 15;
constexpr int as_gzip = 16;

uInt no_more_than_uint(std::size_t size) noexcept {
    return static_cast<uInt>(std::min<std::size_t>(size, std::numeric_limits<uInt>::max()));
}
Bytef* bytes_of(const char* text) noexcept { return reinterpret_cast<Bytef*>(const_cast<char*>(text)); }

class gzip_compressor final : public compressor {
public:
    gzip_compressor() : piece_(std::make_unique_for_overwrite<char[]>(piece_size)) {
        constexpr int level = 6, usual_memory = 8;
        if (::deflateInit2(&stream_, level, Z_DEFLATED, window_bits + as_gzip, usual_memory, Z_DEFAULT_STRATEGY) != Z_OK)
            throw std::bad_alloc();
    }
    gzip_compressor(const gzip_compressor&) = delete;
    gzip_compressor& operator=(const gzip_compressor&) = delete;
    ~gzip_compressor() override { ::deflateEnd(&stream_); }

    void begin() override {
        ::deflateReset(&stream_);
        empty_piece();
    }
    int add(std::string_view text, bool last, sink& to) override {
        for (;;) {
            stream_.next_in = bytes_of(text.data());
            stream_.avail_in = no_more_than_uint(text.size());
            const bool all = stream_.avail_in == text.size();
            const uInt before = stream_.avail_in;
            const int answer = ::deflate(&stream_, last && all ? Z_FINISH : Z_NO_FLUSH);
            text.remove_prefix(before - stream_.avail_in);
            const bool done = last ? answer == Z_STREAM_END : text.empty() && stream_.avail_out > 0;
            if (done && !last) return 0;
            if (const int stopped = stream_.avail_out == 0 || done ? pass_on(to) : 0; stopped != 0 || done) return stopped;
        }
    }

private:
    void empty_piece() noexcept {
        stream_.next_out = bytes_of(piece_.get());
        stream_.avail_out = piece_size;
    }
    int pass_on(sink& to) {
        const std::string_view piece(piece_.get(), piece_size - stream_.avail_out);
        empty_piece();
        return to.take(piece);
    }

    z_stream stream_{};
    std::unique_ptr<char[]> piece_;
};

class gzip_decompressor final : public decompressor {
public:
    gzip_decompressor() {
        if (::inflateInit2(&stream_, window_bits + as_gzip) != Z_OK) throw std::bad_alloc();
    }
    gzip_decompressor(const gzip_decompressor&) = delete;
    gzip_decompressor& operator=(const gzip_decompressor&) = delete;
    ~gzip_decompressor() override { ::inflateEnd(&stream_); }

    void begin() override {
        ::inflateReset(&stream_);
        problem_.clear();
    }
    progress run(std::string_view from, std::span<char> to) override {
        if (!problem_.empty()) throw broken(problem_);
        stream_.next_in = bytes_of(from.data());
        const uInt in = stream_.avail_in = no_more_than_uint(from.size());
        stream_.next_out = bytes_of(to.data());
        const uInt out = stream_.avail_out = no_more_than_uint(to.size());
        const int answer = ::inflate(&stream_, Z_NO_FLUSH);
        if (answer == Z_MEM_ERROR) throw std::bad_alloc();
        const progress made{in - stream_.avail_in, out - stream_.avail_out, answer == Z_STREAM_END};
        if (answer == Z_OK || answer == Z_STREAM_END || answer == Z_BUF_ERROR) return made;
        problem_ = stream_.msg != nullptr ? stream_.msg : "it needs a dictionary";
        if (made.given == 0) throw broken(problem_);
        return made;
    }

private:
    z_stream stream_{};
    std::string problem_;  // to be told when what is in front of it has been given
};

}  // namespace

std::unique_ptr<compressor> make_gzip_compressor() { return std::make_unique<gzip_compressor>(); }
std::unique_ptr<decompressor> make_gzip_decompressor() { return std::make_unique<gzip_decompressor>(); }

}  // namespace mqb::codec
