// secret_file: the text of a file that holds one secret.
#pragma once

#include "core/result.hpp"

#include <string>

namespace mqb::config {

// Without one line end at its end. At most `largest` bytes of UTF-8, of a regular file. The failure's text is for people.
[[nodiscard]] core::result<std::string> read_secret_file(const std::string& path, std::size_t largest);

}  // namespace mqb::config
