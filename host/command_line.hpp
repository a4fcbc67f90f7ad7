// command_line: the words and options of mqbridge.
#pragma once

namespace mqb::host {

// Reads the command line, does what it says and answers the exit code.
[[nodiscard]] int run_command_line(int count, char** arguments);

}  // namespace mqb::host
