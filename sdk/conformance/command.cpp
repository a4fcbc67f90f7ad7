// Command: the command line of the kit.
#include <mqb/conformance/run.hpp>

#include <cstdlib>
#include <iostream>
#include <string_view>

namespace mqb::conformance {
namespace {
constexpr const char* usage =
    "usage: mqbridge conformance PLUGIN.so [options]\n"
    "  --config FILE    conformance.json: configurations, quirks, skips\n"
    "  --case NAME      one case only\n"
    "  --factory NAME   one factory only\n"
    "  --json, --junit  instead of lines for people\n"
    "  --limit MS       time limit of each case (20000)\n"
    "  --in-process     no child processes, for a debugger\n"
    "  --verbose        shows what the plugin printed, for failures\n"
    "  --list           the cases and quirks\n"
    "example: mqbridge conformance ./libmqb_pulsar.so --config conformance.json\n";
}

int command(int count, const char* const* arguments) {
    options o;
    for (int i = 0; i < count; ++i) {
        const std::string_view a = arguments[i];
        const auto value = [&]() -> std::string { return i + 1 < count ? arguments[++i] : ""; };
        if (a == "--config")
            o.config = value();
        else if (a == "--case")
            o.only = value();
        else if (a == "--factory")
            o.factory = value();
        else if (a == "--json")
            o.output = format::json;
        else if (a == "--junit")
            o.output = format::junit;
        else if (a == "--limit")
            o.limit = std::chrono::milliseconds(std::atoll(value().c_str()));
        else if (a == "--in-process")
            o.in_process = true;
        else if (a == "--verbose")
            o.verbose = true;
        else if (a == "--list")
            o.list = true;
        else if (a == "--help")
            return std::cout << usage, 0;
        else if (a.rfind("--", 0) == 0 || !o.plugin.empty())
            return std::cerr << "conformance: unexpected " << a << '\n' << usage, 2;
        else
            o.plugin = a;
    }
    if (o.plugin.empty() && !o.list) return std::cerr << usage, 2;
    return run(o);
}

}  // namespace mqb::conformance
