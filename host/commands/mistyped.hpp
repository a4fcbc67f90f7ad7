// mistyped: what a word on the command line that nobody knows was probably meant to be.
#pragma once

#include <string>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace mqb::host {

// For people, with the help that is asked for next; empty where the mistake is another one.
[[nodiscard]] std::string mistyped(const CLI::App& app, const CLI::ParseError& mistake);

}  // namespace mqb::host
