// Batch packer: makes of a batch's text one member, or one sealed block, and writes it to the file.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "codec/compressor.hpp"
#include "config.hpp"
#include "output_file.hpp"
#include "text_buffer.hpp"

namespace mqb::file {

// One thread at a time.
class batch_packer final : codec::sink {
public:
    // Of a configuration that was checked and whose file is packed.
    explicit batch_packer(const config& chosen);

    // A new batch; what was held of one that failed is forgotten.
    void begin();
    // More of its text, and with `last` its end: 0, or errno. A batch without text is not written.
    int write(std::string_view text, bool last, output_file& to);
    // What a text of this size becomes at most.
    std::uint64_t most(std::uint64_t size) const noexcept;

private:
    int take(std::string_view bytes) override;
    int write_sealed();

    std::unique_ptr<codec::compressor> compressor_;
    std::optional<codec::sealer> sealer_;
    text_buffer block_;  // a sealed block, which is written whole
    output_file* to_ = nullptr;
    bool is_empty_ = true;
};

}  // namespace mqb::file
