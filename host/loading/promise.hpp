// promise: asks a factory what an instance of one configuration would promise, and checks that the promises fit together.
#pragma once

#include "core/promises.hpp"
#include "core/result.hpp"
#include "host/loading/library.hpp"

#include <chrono>
#include <cstdint>
#include <string_view>

namespace mqb::loading {

// Waits for the plugin until the limit. inner: for a middleware, what its inner side promises; otherwise nothing. side: a bit of
// core::side, 0 for handlers and stores. A failure of bad_config speaks of the configuration; of rejected, of a plugin that throws,
// hangs or promises what cannot be.
[[nodiscard]] core::result<core::promises> ask_promises(const offered& what, std::string_view config, std::uint32_t side,
                                                        const core::promises& inner,
                                                        std::chrono::milliseconds limit = std::chrono::seconds{30});

// Why the promises contradict each other or the ABI; empty: they do not. Unknown flags and dispositions are cleared before.
[[nodiscard]] std::string_view contradiction_in(const core::promises& p, std::uint32_t side) noexcept;

}  // namespace mqb::loading
