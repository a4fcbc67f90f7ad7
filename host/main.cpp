// mqbridge: the program.
#include "host/command_line.hpp"
#include "host/loading/exit_guard.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>

namespace {

int run(int count, char** arguments) {
    try {
        return mqb::host::run_command_line(count, arguments);
    } catch (const std::exception& e) {
        std::cerr << "mqbridge: " << e.what() << '\n';
        return 1;
    }
}

}  // namespace

int main(int count, char** arguments) {
    mqb::loading::install_exit_guard();
    int code = run(count, arguments);
    mqb::loading::expect_exit();
    const bool is_written = std::cout.flush() && std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
    if (!is_written) std::cerr << "mqbridge: standard output cannot be written\n";
    if (!is_written && (code == 0 || code == 3)) code = 1;
    std::cerr.flush();
    std::fflush(nullptr);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    std::_Exit(code);  // a destructor in a plugin library could change the code, or never return
#endif
    return code;
}
