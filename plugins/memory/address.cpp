#include "address.hpp"

#include "ipc/socket_place.hpp"

#include <mqb/sdk/status.hpp>

namespace mqb::memory {

namespace {

bool take(std::string_view& text, std::string_view scheme) {
    if (!text.starts_with(scheme)) return false;
    text.remove_prefix(scheme.size());
    return true;
}

address path(std::string_view topic, std::string_view text) {
    if (text.find('\0') != std::string_view::npos) throw sdk::bad_config("topic: the path has a zero byte");
    if (text.size() > longest_socket_path)
        throw sdk::bad_config("topic: the path of \"", topic, "\" has ", text.size(), " bytes; a socket path has at most ",
                              longest_socket_path);
    return {address::kind::socket_path, std::string(text)};
}

}  // namespace

address address::of(std::string_view topic) {
    std::string_view rest = topic;
    if (take(rest, "unix://")) {
        if (!rest.starts_with('/')) throw sdk::bad_config("topic: \"", topic, "\": the path has to be absolute, as in unix:///run/my.sock");
        return path(topic, rest);
    }
    if (take(rest, "ipc://")) {
        if (rest.starts_with('/')) return path(topic, rest);
        if (rest.empty()) throw sdk::bad_config("topic: the name is empty");
        if (rest.find("..") != std::string_view::npos || rest.find('/') != std::string_view::npos ||
            rest.find('\0') != std::string_view::npos)
            throw sdk::bad_config("topic: \"", topic,
                                  "\": a socket name has no \"/\" and no \"..\"; a path is written as ipc:///run/my.sock");
        return {kind::named_socket, std::string(rest)};
    }
    if (take(rest, "pipe://")) throw sdk::bad_config("topic: \"", topic, "\": pipe:// is for Windows only; use ipc://");
    take(rest, "memory://");
    if (rest.empty()) throw sdk::bad_config("topic: the name is empty");
    if (rest.find("://") != std::string_view::npos)
        throw sdk::bad_config("topic: \"", topic, "\" is none of name, memory://name, ipc://name, ipc:///path and unix:///path");
    return {kind::channel, std::string(rest)};
}

}  // namespace mqb::memory
