// uri_text: the parts of a URI of `mqbridge copy`, as they were written.
//
//   source     := endpoint ("|" middleware)*        the middlewares in the order of the list in a route file
//   endpoint   := scheme ":" ["//" authority] [path] ["?" parameters]  |  "-" ["?" parameters]   and "stdio:" is "-"
//   middleware := name ["?" parameters]
//   parameters := field "=" value ("&" field "=" value)*
//
// `${…}` is one thing, whatever is in it; %XX is a byte. Both are resolved after the parts are known, so that no value can change them.
#pragma once

#include "core/result.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mqb::host {

using uri_parameters = std::vector<std::pair<std::string, std::string>>;  // the value as it was written

struct uri_endpoint {
    std::string scheme;     // "-": a standard stream, however it was written
    std::string authority;  // what stands behind "//", up to the next "/"
    std::string path;       // with its leading "/", if there is one
    uri_parameters parameters;

    // The authority is user:password@host.
    [[nodiscard]] bool has_user() const noexcept;
};

struct uri_middleware {
    std::string name;
    uri_parameters parameters;
};

struct uri_text {
    uri_endpoint endpoint;
    std::vector<uri_middleware> middlewares;
};

// The text of a failure names the part that is wrong.
[[nodiscard]] core::result<uri_text> split_uri(std::string_view text);
// The bytes that %XX stands for put in; what is inside `${…}` stays.
[[nodiscard]] core::result<std::string> percent_decoded(std::string_view text);
// The same for a value that variables are put into later: each `$` that starts no variable is written `$$`.
[[nodiscard]] core::result<std::string> value_text(std::string_view text);

}  // namespace mqb::host
