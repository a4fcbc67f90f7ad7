// load_error: makes the loader's text one that says what to do.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace mqb::loading {

// dlerror: what the dynamic loader said about `file`. Names a missing client library or symbol; an unknown text stays as it is.
[[nodiscard]] std::string explain_load_error(const std::filesystem::path& file, std::string_view dlerror);

}  // namespace mqb::loading
