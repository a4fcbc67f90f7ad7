// elf_file: reads as much of a library file as tells whether the loader could use it, without opening it.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>

namespace mqb::loading {

// Which file it is, and in which state: another one after each change.
struct file_identity {
    std::array<std::uint64_t, 7> numbers{};
    [[nodiscard]] bool operator==(const file_identity&) const = default;
};
// All zeros: there is no such file.
[[nodiscard]] file_identity identity_of(const std::filesystem::path& file);

struct elf_facts {
    std::uint64_t size = 0;
    file_identity identity;
    std::string build_id;  // lower-case hex; empty: the file has none
};

// What is wrong with the file as such: not there, a directory, a dangling link, unreadable, empty, no library, of another
// architecture, cut. Empty: nothing, and `facts` is filled in. The text does not name the file.
[[nodiscard]] std::string fault_in_file(const std::filesystem::path& file, elf_facts& facts);

}  // namespace mqb::loading
