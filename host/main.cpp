// mqbridge: the program.
#include "host/command_line.hpp"

#include <exception>
#include <iostream>

int main(int count, char** arguments) {
    try {
        return mqb::host::run_command_line(count, arguments);
    } catch (const std::exception& e) {
        std::cerr << "mqbridge: " << e.what() << '\n';
        return 1;
    }
}
