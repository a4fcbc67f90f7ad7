#include "config.hpp"

namespace mqb::memory {

namespace {

constexpr std::string_view scheme = "memory://";

[[noreturn]] void not_supported(std::string_view what) {
    throw sdk::bad_config(what, " is not supported by this version of the memory plugin");
}

}  // namespace

std::string_view config::channel_name() const {
    std::string_view name = topic;
    if (name.starts_with(scheme)) name.remove_prefix(scheme.size());
    return name;
}

void config::check(std::uint32_t) const {
    for (const std::string_view other : {"ipc://", "unix://", "pipe://"})
        if (topic.starts_with(other)) not_supported(sdk::join("topic: ", other, " (a channel between processes)"));
    if (channel_name().find("://") != std::string_view::npos)
        throw sdk::bad_config("topic: \"", topic, "\" is neither a name nor memory://name");
    if (channel_name().empty()) throw sdk::bad_config("topic: the name is empty");
    if (request_reply) not_supported("request_reply: true");
    if (subscribe_mode) not_supported("subscribe_mode: true");
}

}  // namespace mqb::memory
