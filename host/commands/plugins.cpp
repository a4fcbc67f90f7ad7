#include "host/commands/commands.hpp"
#include "host/config/scalar.hpp"

#include <iostream>

namespace mqb::host {

namespace {

std::vector<std::string> sides_of(std::uint32_t bits) {
    std::vector<std::string> out;
    if ((bits & core::consumer_side) != 0) out.emplace_back("consumer");
    if ((bits & core::publisher_side) != 0) out.emplace_back("publisher");
    return out;
}

std::string offers_json(const std::vector<loading::offer>& offers) {
    using config::json_string;
    std::string out;
    for (const loading::offer& o : offers) {
        std::string sides;
        for (const std::string& side : sides_of(o.sides)) sides += (sides.empty() ? "" : ",") + json_string(side);
        out += (out.empty() ? "" : ",") + std::string{"{\"kind\":"} + json_string(loading::to_text(o.kind)) +
               ",\"name\":" + json_string(o.name) + ",\"sides\":[" + sides + "]}";
    }
    return '[' + out + ']';
}

std::string json(const std::vector<loading::catalogue_entry>& all) {
    using config::json_string;
    std::string out;
    for (const loading::catalogue_entry& e : all) {
        out += (out.empty() ? "\n" : ",\n") + std::string{"{\"file\":"} + json_string(e.file.string()) +
               ",\"state\":" + json_string(loading::to_text(e.state)) + ",\"why\":" + json_string(e.why) +
               ",\"name\":" + json_string(e.name) + ",\"version\":" + json_string(e.version) + ",\"abi\":" + std::to_string(e.abi) +
               ",\"sha256\":" + json_string(e.sha256) + ",\"offers\":" + offers_json(e.offers) + '}';
    }
    return '[' + out + (out.empty() ? "]\n" : "\n]\n");
}

void print(const loading::catalogue_entry& e) {
    std::cout << e.file.string() << "\n    " << loading::to_text(e.state);
    if (!e.why.empty()) std::cout << ": " << e.why;
    if (!e.name.empty()) std::cout << "\n    " << e.name << ' ' << e.version << ", plugin interface draft " << e.abi << ", " << e.licence;
    for (const loading::offer& o : e.offers) {
        std::cout << "\n    " << loading::to_text(o.kind) << ' ' << o.name;
        const std::vector<std::string> sides = sides_of(o.sides);
        for (std::size_t i = 0; i < sides.size(); ++i)
            std::cout << (i == 0 ? " (" : ", ") << sides[i] << (i + 1 == sides.size() ? ")" : "");
    }
    if (!e.sha256.empty()) std::cout << "\n    sha256 " << e.sha256;
    std::cout << '\n';
}

}  // namespace

int list_plugins(const plugins_options& options) {
    loading::plugin_catalogue catalogue = open_catalogue(options.plugins);
    const std::vector<loading::catalogue_entry> all = catalogue.list(options.verify);
    for (const std::string& text : catalogue.warnings()) std::cerr << "warning: " << text << '\n';
    bool is_good = true;
    for (const loading::catalogue_entry& e : all) is_good = is_good && e.state != loading::file_state::unusable;
    if (options.json) {
        std::cout << json(all);
    } else {
        for (const loading::catalogue_entry& e : all) print(e);
        if (all.empty()) std::cout << "no plugin was found\n";
    }
    return options.verify && !is_good ? exit_failed : exit_done;
}

}  // namespace mqb::host
