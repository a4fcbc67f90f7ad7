#include "host/commands/commands.hpp"
#include "host/config/scalar.hpp"
#include "host/config/schema.hpp"
#include "host/config/validation.hpp"

#include <iomanip>
#include <iostream>

namespace mqb::host {

namespace {

struct flag_name {
    std::uint32_t flag;
    const char* name;
};
constexpr flag_name flag_names[] = {{core::promises::acknowledges, "acknowledges"},
                                    {core::promises::stable_identity, "stable_identity"},
                                    {core::promises::finite, "finite"},
                                    {core::promises::needs_polling, "needs_polling"},
                                    {core::promises::responds, "responds"},
                                    {core::promises::ordered, "ordered"},
                                    {core::promises::ordered_retry, "ordered_retry"},
                                    {core::promises::concurrent, "concurrent"},
                                    {core::promises::idempotent, "idempotent"},
                                    {core::promises::transactional, "transactional"}};

std::vector<std::string> names_of(const core::promises& of) {
    std::vector<std::string> out;
    for (const flag_name& f : flag_names)
        if (of.has(f.flag)) out.emplace_back(f.name);
    return out;
}

// What is known about one name, whichever kind it is.
struct subject {
    std::string kind;
    std::string file;  // empty: built in
    std::string schema;
    std::uint32_t sides = 0;
    std::shared_ptr<core::endpoint_factory> endpoint;  // null for a middleware
};

void print_fields(const config::schema& of, const std::string& prefix) {
    for (const config::property& p : of.properties) {
        const config::schema& s = p.what;
        std::cout << "  " << std::left << std::setw(26) << prefix + p.name << ' ' << std::setw(16) << s.type_text() << ' ';
        std::cout << std::setw(14) << (p.is_required ? "required" : s.standard.value_or("")) << ' ' << s.description;
        if (!s.choices.empty()) {
            std::cout << " [";
            for (std::size_t i = 0; i < s.choices.size(); ++i) std::cout << (i == 0 ? "" : ", ") << s.choices[i];
            std::cout << ']';
        }
        if (s.sides == core::consumer_side) std::cout << " (input only)";
        if (s.sides == core::publisher_side) std::cout << " (output only)";
        if (s.is_secret) std::cout << " (secret)";
        if (s.is_deprecated) std::cout << " (deprecated)";
        for (const std::string& alias : s.aliases) std::cout << " (also " << alias << ')';
        std::cout << '\n';
        print_fields(s, prefix + p.name + '.');
        if (s.items) print_fields(*s.items, prefix + p.name + "[].");
    }
}

// Only where the defaults alone are a configuration.
std::optional<core::promises> default_promises(const subject& of, const config::schema& schema, core::side side) {
    if (!of.endpoint || (of.sides & side) == 0) return std::nullopt;
    config::findings problems;
    std::vector<std::string> secrets;
    const std::string config = config::validation{problems, secrets}.defaults(schema, {{}, "", side});
    if (problems.has_errors()) return std::nullopt;
    const auto promised = of.endpoint->promise(config, side);
    return promised ? std::optional{*promised} : std::nullopt;
}

struct side_name {
    core::side side;
    const char* name;
};
constexpr side_name side_names[] = {{core::consumer_side, "consumer"}, {core::publisher_side, "publisher"}};

void print(const std::string& name, const subject& of, const config::schema& schema) {
    std::cout << name << ": " << of.kind << ", " << (of.file.empty() ? "built in" : of.file) << '\n';
    if (!schema.description.empty()) std::cout << schema.description << '\n';
    std::cout << "stands at: " << (of.sides == 3 ? "input and output" : of.sides == core::consumer_side ? "input" : "output") << '\n';
    for (const auto& [side, side_text] : side_names) {
        const auto promised = default_promises(of, schema, side);
        if (!promised) continue;
        std::cout << "as " << side_text << " it promises by default:";
        for (const std::string& flag : names_of(*promised)) std::cout << ' ' << flag;
        std::cout << '\n';
    }
    if (schema.properties.empty()) return;
    std::cout << "\n  " << std::left << std::setw(26) << "field" << ' ' << std::setw(16) << "type" << ' ' << std::setw(14) << "default"
              << " meaning\n";
    print_fields(schema, "");
}

std::string json(const std::string& name, const subject& of, const config::schema& schema) {
    using config::json_string;
    std::string sides, promised;
    for (const auto& [side, side_text] : side_names) {
        if ((of.sides & side) != 0) sides += (sides.empty() ? "" : ",") + json_string(side_text);
        const auto flags = default_promises(of, schema, side);
        if (!flags) continue;
        std::string list;
        for (const std::string& flag : names_of(*flags)) list += (list.empty() ? "" : ",") + json_string(flag);
        promised += (promised.empty() ? "" : ",") + json_string(side_text) + ":[" + list + ']';
    }
    return "{\"name\":" + json_string(name) + ",\"kind\":" + json_string(of.kind) +
           ",\"file\":" + (of.file.empty() ? "null" : json_string(of.file)) + ",\"sides\":[" + sides + "],\"promises\":{" + promised +
           "},\"schema\":" + (of.schema.empty() ? "{}" : of.schema) + "}\n";
}

}  // namespace

int describe(const describe_options& options) {
    loading::plugin_catalogue catalogue = open_catalogue(options.plugins);
    config::known_types types;
    add_built_in(types);
    look_up({options.name}, {options.name}, catalogue, types);
    subject found;
    std::string file;
    if (const auto endpoint = types.endpoints.find(options.name)) {
        const auto* plugin = dynamic_cast<const loading::plugin_factory*>(endpoint.get());
        found = {"endpoint", plugin ? plugin->from().file().string() : "", std::string{endpoint->schema()}, endpoint->sides(), endpoint};
    } else if (const auto middleware = types.middlewares.find(options.name)) {
        const auto* plugin = dynamic_cast<const loading::plugin_factory*>(middleware.get());
        found = {"middleware", plugin ? plugin->from().file().string() : "", std::string{middleware->schema()}, middleware->sides(),
                 nullptr};
    } else {
        const bool is_broken = types.broken_endpoints.contains(options.name);
        std::cerr << (is_broken ? types.broken_endpoints : types.missing_endpoints).begin()->second << '\n';
        return is_broken ? exit_failed : exit_bad_input;
    }
    const auto schema = config::read_schema(found.schema);
    if (!schema) {
        std::cerr << options.name << ": " << schema.error().text << '\n';
        return exit_failed;
    }
    if (options.json) {
        std::cout << json(options.name, found, **schema);
    } else {
        print(options.name, found, **schema);
    }
    return exit_done;
}

}  // namespace mqb::host
