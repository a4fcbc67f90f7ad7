// Config: what a route file may say of compression.
#pragma once

#include "codec/compression.hpp"

#include <mqb/sdk/option.hpp>

namespace mqb::compressing {

enum class on_error { fail, drop };

struct config {
    codec::compression algorithm = codec::compression::zstd;
    std::uint64_t max_decompressed_bytes = 0;
    on_error policy = on_error::fail;

    static constexpr auto options() {
        return sdk::options(sdk::option("algorithm", &config::algorithm)
                                .by_default("zstd")
                                .value("none", codec::compression::none)
                                .value("gzip", codec::compression::gzip)
                                .value("lz4", codec::compression::lz4)
                                .value("zstd", codec::compression::zstd)
                                .doc("The format of the payloads outside of the route; `none`: they pass as they are."),
                            sdk::option("max_decompressed_bytes", &config::max_decompressed_bytes)
                                .by_default(64 << 20)
                                .size()
                                .at_least(1)
                                .doc("On an input: a payload of which more comes out is an error of that message."),
                            sdk::option("on_error", &config::policy)
                                .by_default("fail")
                                .value("fail", on_error::fail)
                                .value("drop", on_error::drop)
                                .doc("On an input, what becomes of a payload that is damaged, too large or not compressed at all: `fail`, "
                                     "it goes the way of "
                                     "failures; `drop`, it is discarded and counted."));
    }
};

}  // namespace mqb::compressing
