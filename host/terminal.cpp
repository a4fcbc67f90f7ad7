#include "host/terminal.hpp"

#include <unistd.h>

#include <cstdlib>

namespace mqb::host {

bool is_terminal(int descriptor) noexcept { return ::isatty(descriptor) == 1; }

bool wants_colour(int descriptor) noexcept {
    const char* refused = std::getenv("NO_COLOR");
    const char* kind = std::getenv("TERM");
    return is_terminal(descriptor) && !(refused && *refused) && kind && std::string_view{kind} != "dumb";
}

std::string coloured(std::string_view text, colour in, int descriptor) {
    std::string out{text};
    if (!wants_colour(descriptor)) return out;
    const char* code = in == colour::red ? "31" : in == colour::yellow ? "33" : in == colour::green ? "32" : "1";
    return "\033[" + std::string{code} + 'm' + out + "\033[0m";
}

}  // namespace mqb::host
