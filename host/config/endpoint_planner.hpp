// endpoint_planner: makes the definitions of endpoints out of their shapes: references, types, configurations, what is nested in them.
#pragma once

#include "core/route.hpp"
#include "host/config/exclusive.hpp"
#include "host/config/guarantee.hpp"
#include "host/config/known_types.hpp"
#include "host/config/route_file.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace mqb::config {

inline constexpr std::size_t deepest_endpoints = 16;   // nested in each other
inline constexpr std::size_t most_endpoints = 10'000;  // of one route, each reference counted as a copy

// The ends of one route.
struct planned_ends {
    core::endpoint_definition input;
    core::endpoint_definition output;
    std::optional<core::endpoint_definition> dead_letters;
    // Empty where something is wrong or broken.
    chain_promises input_chain;
    chain_promises output_chain;
    std::string broken;          // a plugin that is needed cannot be used, and why
    bool has_one_stack = false;  // as in the definition of a route
    bool is_complete = true;     // everything that the chains of promises need is there
};

class endpoint_planner {
public:
    endpoint_planner(const known_types& types, const references& names, findings& to, std::vector<std::string>& secrets)
        : types_(types), names_(names), to_(to), checks_(to, secrets) {}

    // Asks no factory for promises; types that nothing is known about are added to these.
    void only_collect(std::set<std::string>& endpoints, std::set<std::string>& middlewares) {
        wanted_endpoints_ = &endpoints;
        wanted_middlewares_ = &middlewares;
    }
    [[nodiscard]] planned_ends plan_ends(const route_shape& route);
    // The named endpoints that nothing has referred to until now: their mistakes are mistakes too.
    void plan_unused();
    // Of all routes so far.
    [[nodiscard]] const std::vector<exclusive_use>& exclusive_uses() const noexcept { return uses_; }

private:
    using reasons = std::map<std::string, std::string>;
    struct answered {
        core::endpoint_definition definition;
        chain_promises chain;
        bool middlewares_write_alone = false;  // some of them, to what only one may
        bool one_for_all_workers = false;      // some of its own middlewares wants that
    };
    answered plan(endpoint_shape shape, core::side which, std::vector<std::string> open, std::size_t depth);
    void plan_middlewares(const endpoint_shape& shape, core::side which, const std::vector<std::string>& open, std::size_t depth,
                          answered& into);
    // What stands inside one configuration, and what each of it promises.
    struct inside final : core::nested_promises {
        std::vector<std::string> all() const override;
        core::result<core::promises> promise(std::string_view where, core::side which) const override;
        std::vector<core::nested_definition> definitions;
        std::vector<core::promises> has;  // of each
    };
    inside plan_nested(std::vector<nested_value> values, core::side around, const std::vector<std::string>& open, std::size_t depth,
                       bool is_of_middleware = false);
    // A dead letter, or what else a middleware puts aside, would be gone without a word.
    void refuse_empty(const endpoint_shape& shape);
    template <class Factory>
    std::shared_ptr<Factory> find(const core::factory_registry<Factory>& in, const typed_config& what, const reasons& broken,
                                  const reasons& missing, const char* kind, std::set<std::string>* wanted);
    std::string config(const typed_config& what, const std::string& referrer, std::string_view schema_text, std::uint32_t sides,
                       core::side which);
    core::result<std::shared_ptr<const schema>> schema_of(std::string_view text);
    void note_uses(const typed_config& what, core::side which);
    [[nodiscard]] bool may_ask(std::size_t errors) const;
    void add_link(const typed_config& what, std::string name, const core::result<core::promises>& answer, chain_promises& chain);
    // What is wrong with a configuration that is valid against its schema.
    void tell(const typed_config& what, const core::failure& why);
    void break_route(const std::string& why);
    // "output.middlewares[0]" of "routes.orders.output.middlewares[0]"
    [[nodiscard]] std::string inside_route(const std::string& path) const;

    const known_types& types_;
    const references& names_;
    findings& to_;
    validation checks_;
    std::set<std::string>* wanted_endpoints_ = nullptr;
    std::set<std::string>* wanted_middlewares_ = nullptr;
    std::map<std::string, core::result<std::shared_ptr<const schema>>, std::less<>> schemas_;
    std::vector<exclusive_use> uses_;

    // Of the route that is planned.
    std::string route_;
    std::string route_path_;
    bool is_enabled_ = true;
    bool allows_faults_ = true;
    std::size_t count_ = 0;
    planned_ends out_;
};

}  // namespace mqb::config
