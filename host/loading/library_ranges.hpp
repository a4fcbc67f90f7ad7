// library_ranges: which addresses belong to which plugin library, prepared for a signal handler.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace mqb::loading {

// Called once after a library was opened. name: what a crash line says.
void note_library_ranges(const std::filesystem::path& real_path, std::string_view name);

// The name of the plugin library that has code at the address; null when it is none. Async-signal-safe.
[[nodiscard]] const char* library_at(std::uintptr_t address) noexcept;

}  // namespace mqb::loading
