#include "host/config/plan.hpp"

#include "host/config/validation.hpp"

namespace mqb::config {

namespace {

class planner {
public:
    planner(const known_types& types, findings& to, std::vector<std::string>& secrets) : types_(types), to_(to), checks_(to, secrets) {}

    planned_route plan(const route_shape& from) {
        from_ = &from;
        out_ = {};
        out_.definition = from.definition;
        out_.is_enabled = from.options.enabled;
        is_complete_ = true;
        end(from.input, core::consumer_side, "input", out_.definition.input);
        end(from.output, core::publisher_side, "output", out_.definition.output);
        if (is_complete_ && out_.broken.empty()) promises();
        return std::move(out_);
    }

private:
    void end(const endpoint_shape& shape, core::side side, const std::string& path, core::endpoint_definition& into) {
        into.type = shape.what.type;
        into.path = path;
        if (const auto factory = find(types_.endpoints, shape.what, types_.broken_endpoints, types_.missing_endpoints, "endpoint")) {
            into.config = config(shape.what, factory->schema(), factory->sides(), side);
            if (is_complete_) meaning(shape.what, factory->promise(into.config, side));
        }
        for (std::size_t i = 0; i < shape.middlewares.size(); ++i) {
            const typed_config& what = shape.middlewares[i];
            core::middleware_definition made{what.type, {}, path + ".middlewares[" + std::to_string(i) + ']'};
            if (const auto factory = find(types_.middlewares, what, types_.broken_middlewares, types_.missing_middlewares, "middleware"))
                made.config = config(what, factory->schema(), factory->sides(), side);
            into.middlewares.push_back(std::move(made));
        }
    }

    using names = std::map<std::string, std::string>;
    template <class Factory>
    std::shared_ptr<Factory> find(const core::factory_registry<Factory>& in, const typed_config& what, const names& broken,
                                  const names& missing, const char* kind) {
        std::shared_ptr<Factory> found = what.type.empty() ? nullptr : in.find(what.type);
        if (found) return found;
        is_complete_ = false;
        if (what.type.empty()) return nullptr;
        if (const auto why = broken.find(what.type); why != broken.end()) {
            break_route(why->second);
            return nullptr;
        }
        const auto where = missing.find(what.type);
        std::string text = where != missing.end() ? where->second : std::string{"no plugin offers the "} + kind + " \"" + what.type + '"';
        if (out_.is_enabled) {
            to_.error(what.at, what.path, std::move(text));
        } else {
            to_.warning(what.at, what.path, std::move(text));
        }
        return nullptr;
    }

    // The JSON of one configuration.
    std::string config(const typed_config& what, std::string_view schema_text, std::uint32_t sides, core::side side) {
        if ((sides & side) == 0) {
            const char* text =
                side == core::consumer_side ? "cannot stand at an input: it is for outputs" : "cannot stand at an output: it is for inputs";
            to_.error(what.at, what.path, '"' + what.type + "\" " + text);
            is_complete_ = false;
            return "{}";
        }
        const auto schema = read_schema(schema_text);
        if (!schema) {
            break_route('"' + what.type + "\": " + schema.error().text);
            return "{}";
        }
        const std::size_t before = to_.error_count();
        const place where{what.at, what.path, side};
        std::string out = what.config ? checks_.check(*what.config, **schema, where) : checks_.defaults(**schema, where);
        if (to_.error_count() != before) is_complete_ = false;
        return out;
    }

    // Only bad_config speaks of the file; anything else says that the plugin is not able to answer.
    void meaning(const typed_config& what, const core::result<core::promises>& answer) {
        if (answer) return;
        if (answer.error().what != core::status::bad_config) return break_route('"' + what.type + "\": " + answer.error().text);
        to_.error(what.at, what.path, answer.error().text);
        is_complete_ = false;
    }

    void break_route(const std::string& why) {
        if (!out_.broken.empty()) out_.broken += "; ";
        out_.broken += why;
        is_complete_ = false;
    }

    void promises() {
        const auto promised = core::promises_of(out_.definition, types_.endpoints, types_.middlewares);
        if (!promised) {
            if (promised.error().what != core::status::bad_config) return break_route(promised.error().text);
            return to_.error(from_->at, from_->path, promised.error().text);
        }
        out_.has = guarantee_of(*promised);
        for (const requirement& wanted : from_->options.require) {
            const std::string text = shortfall(wanted.what, *promised);
            if (!text.empty()) to_.error(wanted.at, wanted.path, text);
        }
    }

    const known_types& types_;
    findings& to_;
    validation checks_;
    const route_shape* from_ = nullptr;
    planned_route out_;
    bool is_complete_ = true;  // everything that the chain of promises needs is there
};

}  // namespace

std::vector<planned_route> plan_routes(const route_file& file, const known_types& types, findings& to, std::vector<std::string>& secrets) {
    to.in_file(file.name);
    std::vector<planned_route> out;
    planner each{types, to, secrets};
    for (const route_shape& route : file.routes) out.push_back(each.plan(route));
    return out;
}

}  // namespace mqb::config
