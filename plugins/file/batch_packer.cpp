#include "batch_packer.hpp"

namespace mqb::file {

batch_packer::batch_packer(const config& chosen) : compressor_(codec::make_compressor(chosen.packed().compression)) {
    if (chosen.encryption) sealer_.emplace(chosen.encryption->sealer());
}

void batch_packer::begin() {
    constexpr std::size_t usual = 512 << 10;
    is_empty_ = true;
    if (compressor_) compressor_->begin();
    if (!sealer_) return;
    block_.clear(usual);
    const std::size_t front = block_head_size + sealer_->head_size();
    block_.written(block_.room(front) + front);
}

int batch_packer::write(std::string_view text, bool last, output_file& to) {
    is_empty_ = is_empty_ && text.empty();
    if (is_empty_) return 0;
    to_ = &to;
    if (const int error = compressor_ ? compressor_->add(text, last, *this) : take(text); error != 0) return error;
    return last && sealer_ ? write_sealed() : 0;
}

// No format adds more than 1/64 to what cannot be compressed, and its own head and end.
std::uint64_t batch_packer::most(std::uint64_t size) const noexcept {
    constexpr std::uint64_t member = 256;
    if (size == 0) return 0;
    return size + (compressor_ ? size / 64 + member : 0) + (sealer_ ? block_head_size + sealer_->overhead() : 0);
}

int batch_packer::take(std::string_view bytes) {
    if (!sealer_) return to_->write(bytes);
    block_.append(bytes);
    return 0;
}

int batch_packer::write_sealed() {
    char* const tag = block_.room(codec::tag_size);
    block_.written(tag + codec::tag_size);
    char* const begin = tag + codec::tag_size - block_.size();
    const std::size_t size = block_.size() - block_head_size;
    for (std::size_t i = 0; i < block_head_size; ++i) begin[i] = static_cast<char>(std::uint64_t{size} >> 8 * (block_head_size - 1 - i));
    sealer_->seal({begin + block_head_size, size});
    return to_->write(block_.text());
}

}  // namespace mqb::file
