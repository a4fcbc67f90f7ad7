#include "codec/broken.hpp"
#include "codec/formats.hpp"

#include <new>
#include <utility>

#include <lz4frame.h>

namespace mqb::codec {
namespace {

LZ4F_preferences_t preferences() noexcept {
    LZ4F_preferences_t chosen{};
    chosen.frameInfo.blockSizeID = LZ4F_max256KB;
    chosen.frameInfo.blockMode = LZ4F_blockLinked;
    chosen.frameInfo.contentChecksumFlag = LZ4F_contentChecksumEnabled;
    chosen.autoFlush = 1;  // straight from the text, which is not collected first
    return chosen;
}

class lz4_compressor final : public compressor {
public:
    lz4_compressor() : preferences_(preferences()) {
        LZ4F_cctx* made = nullptr;
        if (::LZ4F_isError(::LZ4F_createCompressionContext(&made, LZ4F_VERSION)) != 0) throw std::bad_alloc();
        context_.reset(made);
        capacity_ = LZ4F_HEADER_SIZE_MAX + 2 * ::LZ4F_compressBound(piece_size, &preferences_);
        piece_ = std::make_unique_for_overwrite<char[]>(capacity_);
    }

    void begin() override { size_ = check(::LZ4F_compressBegin(context_.get(), piece_.get(), capacity_, &preferences_)); }
    int add(std::string_view text, bool last, sink& to) override {
        while (!text.empty()) {
            const std::string_view some = text.substr(0, piece_size);
            text.remove_prefix(some.size());
            if (capacity_ - size_ < ::LZ4F_compressBound(some.size(), &preferences_))
                if (const int stopped = pass_on(to); stopped != 0) return stopped;
            size_ +=
                check(::LZ4F_compressUpdate(context_.get(), piece_.get() + size_, capacity_ - size_, some.data(), some.size(), nullptr));
        }
        if (!last) return 0;
        if (capacity_ - size_ < ::LZ4F_compressBound(0, &preferences_))
            if (const int stopped = pass_on(to); stopped != 0) return stopped;
        size_ += check(::LZ4F_compressEnd(context_.get(), piece_.get() + size_, capacity_ - size_, nullptr));
        return pass_on(to);
    }

private:
    struct free_context {
        void operator()(LZ4F_cctx* context) const noexcept { ::LZ4F_freeCompressionContext(context); }
    };
    static std::size_t check(std::size_t size) {
        if (::LZ4F_isError(size) != 0) throw std::bad_alloc();  // nothing else can be wrong with a text
        return size;
    }
    int pass_on(sink& to) { return to.take({piece_.get(), std::exchange(size_, 0)}); }

    LZ4F_preferences_t preferences_;
    std::unique_ptr<LZ4F_cctx, free_context> context_;
    std::size_t capacity_ = 0, size_ = 0;
    std::unique_ptr<char[]> piece_;
};

class lz4_decompressor final : public decompressor {
public:
    lz4_decompressor() {
        LZ4F_dctx* made = nullptr;
        if (::LZ4F_isError(::LZ4F_createDecompressionContext(&made, LZ4F_VERSION)) != 0) throw std::bad_alloc();
        context_.reset(made);
    }

    void begin() override { ::LZ4F_resetDecompressionContext(context_.get()); }
    progress run(std::string_view from, std::span<char> to) override {
        std::size_t taken = from.size(), given = to.size();
        const std::size_t left = ::LZ4F_decompress(context_.get(), to.data(), &given, from.data(), &taken, nullptr);
        if (::LZ4F_isError(left) != 0) throw broken(::LZ4F_getErrorName(left));
        return {taken, given, left == 0};
    }

private:
    struct free_context {
        void operator()(LZ4F_dctx* context) const noexcept { ::LZ4F_freeDecompressionContext(context); }
    };
    std::unique_ptr<LZ4F_dctx, free_context> context_;
};

}  // namespace

std::unique_ptr<compressor> make_lz4_compressor() { return std::make_unique<lz4_compressor>(); }
std::unique_ptr<decompressor> make_lz4_decompressor() { return std::make_unique<lz4_decompressor>(); }

}  // namespace mqb::codec
