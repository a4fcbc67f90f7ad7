// variables: puts values for `${NAME}`, `${NAME:-default}`, `${env:NAME}` and `${file:/path}` into the texts of a route file.
//
// After parsing, in values only and never again in what came out, so that no value can change the structure of the file. What
// had a variable in it is a text, as if quoted. `$$` is `$`; `${other:…}` is left for templates.
#pragma once

#include "host/config/environment.hpp"
#include "host/config/finding.hpp"
#include "host/config/node.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace mqb::config {

inline constexpr std::size_t largest_secret_file = 1u << 20;

inline constexpr std::size_t most_expanded_bytes = 16u << 20;  // of one route file

// The same tree with its variables replaced; nodes without one are shared. `env_vars` (or `envVars`) at the top of `root`, whose
// path is `path`, is the second source of names. Contents of files are secrets.
[[nodiscard]] node_ptr expand_variables(const node_ptr& root, std::string_view path, const environment& from, findings& to,
                                        std::vector<std::string>& secrets);

}  // namespace mqb::config
