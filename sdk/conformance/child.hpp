// Child: runs one piece of work in a forked process, with a time limit; a crash is a result.
#pragma once
#include "verdict.hpp"

#include <chrono>
#include <functional>
#include <string>

namespace mqb::conformance {

// Runs `work` in a child and gives its result, with what the child printed. `answer`, if not null, gets the text that work returned.
result in_child(const std::function<std::string()>& work, std::chrono::milliseconds limit, std::string* answer = nullptr);
// The same without a child.
result in_this_process(const std::function<std::string()>& work, std::string* answer = nullptr);

// The descriptor to which the child's standard output and error go; -1 outside a child.
int output_of_child();

}  // namespace mqb::conformance
