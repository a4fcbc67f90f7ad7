// config: what a route file may say about a scripted endpoint.
#pragma once

#include <mqb/sdk.hpp>

namespace mqb::scripted::plugin {

struct config {
    std::string script;
    std::string log;
    bool responds;

    static constexpr auto options() {
        using sdk::option;
        return sdk::options(
            option("script", &config::script).required().not_empty().doc("A JSON file: what to answer, or what to ask, in order."),
            option("log", &config::log).by_default("").doc("A file to which a line is added for whatever happens; empty: none."),
            option("responds", &config::responds).by_default(false).publisher_only().doc("The script has responses."));
    }
};

}  // namespace mqb::scripted::plugin
