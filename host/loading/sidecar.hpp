// sidecar: the index libmqb_NAME.json beside a library, which tells what it offers without opening it.
#pragma once

#include "host/loading/describe.hpp"
#include "host/loading/elf_file.hpp"

#include <filesystem>
#include <string>

namespace mqb::loading {

struct sidecar {
    bool is_valid = false;
    std::string warning;  // why it is there and ignored; empty: it is valid, or there is none
    description about;
};

// library: the file with these facts. An index that belongs to another build of it is ignored.
[[nodiscard]] sidecar read_sidecar(const std::filesystem::path& library, const elf_facts& facts);

}  // namespace mqb::loading
