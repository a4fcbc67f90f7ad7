#include "codec/broken.hpp"
#include "codec/formats.hpp"

#include <new>

#include <zstd.h>

namespace mqb::codec {
namespace {

class zstd_compressor final : public compressor {
public:
    zstd_compressor() : context_(::ZSTD_createCCtx()), capacity_(ZSTD_COMPRESSBOUND(piece_size)) {
        constexpr int level = 3;
        if (!context_) throw std::bad_alloc();
        ::ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, level);
        ::ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 1);
        piece_ = std::make_unique_for_overwrite<char[]>(capacity_);
    }

    void begin() override {
        ::ZSTD_CCtx_reset(context_.get(), ZSTD_reset_session_only);
        out_ = {piece_.get(), capacity_, 0};
    }
    int add(std::string_view text, bool last, sink& to) override {
        ZSTD_inBuffer in{text.data(), text.size(), 0};
        for (;;) {
            const std::size_t left = ::ZSTD_compressStream2(context_.get(), &out_, &in, last ? ZSTD_e_end : ZSTD_e_continue);
            if (::ZSTD_isError(left) != 0) throw std::bad_alloc();  // nothing else can be wrong with a text
            const bool done = last ? left == 0 : in.pos == in.size;
            if (done && !last) return 0;
            if (const int stopped = done || out_.pos == out_.size ? pass_on(to) : 0; stopped != 0 || done) return stopped;
        }
    }

private:
    struct free_context {
        void operator()(ZSTD_CCtx* context) const noexcept { ::ZSTD_freeCCtx(context); }
    };
    int pass_on(sink& to) {
        const std::string_view piece(piece_.get(), out_.pos);
        out_.pos = 0;
        return to.take(piece);
    }

    std::unique_ptr<ZSTD_CCtx, free_context> context_;
    std::size_t capacity_;
    std::unique_ptr<char[]> piece_;
    ZSTD_outBuffer out_{};
};

class zstd_decompressor final : public decompressor {
public:
    zstd_decompressor() : context_(::ZSTD_createDCtx()) {
        constexpr int largest_window = 27;  // what the program `zstd` takes without being asked for more
        if (!context_) throw std::bad_alloc();
        ::ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax, largest_window);
    }

    void begin() override { ::ZSTD_DCtx_reset(context_.get(), ZSTD_reset_session_only); }
    progress run(std::string_view from, std::span<char> to) override {
        ZSTD_inBuffer in{from.data(), from.size(), 0};
        ZSTD_outBuffer out{to.data(), to.size(), 0};
        const std::size_t left = ::ZSTD_decompressStream(context_.get(), &out, &in);
        if (::ZSTD_isError(left) != 0) throw broken(::ZSTD_getErrorName(left));
        return {in.pos, out.pos, left == 0};
    }

private:
    struct free_context {
        void operator()(ZSTD_DCtx* context) const noexcept { ::ZSTD_freeDCtx(context); }
    };
    std::unique_ptr<ZSTD_DCtx, free_context> context_;
};

}  // namespace

std::unique_ptr<compressor> make_zstd_compressor() { return std::make_unique<zstd_compressor>(); }
std::unique_ptr<decompressor> make_zstd_decompressor() { return std::make_unique<zstd_decompressor>(); }

}  // namespace mqb::codec
