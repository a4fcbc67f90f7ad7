// eval: what `mqbridge eval` does: one expression or template over one message, for people who write one.
#pragma once

#include <string>
#include <vector>

namespace mqb::host {

struct eval_options {
    std::string expression;
    std::string message;                // the payload; @FILE; "-": standard input
    bool has_message = false;           // else there is no payload
    std::vector<std::string> metadata;  // KEY=VALUE
    bool is_filter = false;
    bool is_template = false;
};
[[nodiscard]] int evaluate(const eval_options& options);

}  // namespace mqb::host
