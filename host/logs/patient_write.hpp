// patient_write: writes to a descriptor that somebody may have stopped reading.
#pragma once

#include <chrono>
#include <string_view>

namespace mqb::host {

// False: not all of it could be written within the limit, or not at all; some of it may have been. A pipe that nobody reads does not
// hold the caller longer than that, unless others write to it too and win every time.
[[nodiscard]] bool write_within(int descriptor, std::string_view text, std::chrono::milliseconds limit);

}  // namespace mqb::host
