// Shortage: what the system has too little of for now; another attempt may go well.
#pragma once

#include <cerrno>

namespace mqb::file {

// Of an errno: it says nothing about the file.
constexpr bool is_shortage(int error) noexcept { return error == EMFILE || error == ENFILE || error == ENOMEM; }

}  // namespace mqb::file
