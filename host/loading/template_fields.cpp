// Where a configuration holds templates: they are compiled, and numbers stand for them in what the plugin gets.
#include "core/expressions/json_document.hpp"
#include "core/expressions/json_text.hpp"
#include "core/templates/renderer.hpp"
#include "host/loading/services.hpp"

#include <boost/json/parse.hpp>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace mqb::loading {

namespace {

namespace json = boost::json;
using core::expressions::json_document;
using core::expressions::value;
using templates_list = std::vector<core::templates::text_template>;

struct template_field {
    std::uint32_t place;  // in the document
    bool is_path;
};

class search {
public:
    explicit search(const json_document& in) : in_(in) {}

    void look(const json::value& schema, std::uint32_t place) {
        if (!schema.is_object()) return;
        const json::object& s = schema.get_object();
        const value v = in_.at(place);
        if (const json::value* mark = s.if_contains("x-mqb-template"); mark && is_set(*mark) && v.is_text())
            found.push_back({place, mark->is_string() && mark->get_string() == "path"});
        if (const json::value* items = s.if_contains("items"); items && v.is_list())
            in_.each_element(place, [&](std::uint32_t item) { look(*items, item); });
        if (!v.is_object()) return;
        const json::value* properties = s.if_contains("properties");
        const json::value* others = s.if_contains("additionalProperties");
        in_.each_member(place, [&](std::uint32_t key, std::uint32_t member) {
            const std::string name = text_of(in_.at(key));
            const json::value* known = properties && properties->is_object() ? properties->get_object().if_contains(name) : nullptr;
            if (!known) known = others;
            if (known) look(*known, member);
        });
    }
    [[nodiscard]] static std::string text_of(const value& v) {
        std::string out{v.view()};
        if (v.what == core::expressions::kind::raw_text) out.resize(core::expressions::unescape(v.view(), out.data()));
        return out;
    }

    std::vector<template_field> found;  // in the order of the document

private:
    [[nodiscard]] static bool is_set(const json::value& mark) { return !mark.is_null() && !(mark.is_bool() && !mark.get_bool()); }
    const json_document& in_;
};

// One for each thread that renders.
struct workplace {
    core::templates::renderer by;
    std::string text;
};

core::status render(const templates_list& all, std::uint32_t number, const core::message& m, std::span<char> room, std::size_t& size) {
    constexpr std::size_t most_kept = 1u << 20;
    size = 0;
    if (number >= all.size()) return core::status::rejected;
    thread_local workplace here;
    if (here.text.capacity() > most_kept) here.text = {};
    here.text.clear();
    if (!here.by.append(here.text, all[number], m).is_whole()) return core::status::rejected;
    size = here.text.size();
    if (size > room.size()) return core::status::retry;
    std::ranges::copy(here.text, room.begin());
    return core::status::ok;
}

}  // namespace

core::result<prepared_config> prepare_templates(std::string_view schema, std::string_view config) {
    if (schema.find("x-mqb-template") == schema.npos) return prepared_config{std::string{config}, {}};
    boost::system::error_code failed;
    const json::value s = json::parse(json::string_view{schema.data(), schema.size()}, failed);
    if (failed) return core::failure{core::status::bad_config, "its schema is no JSON"};
    json_document document;
    if (!document.read(config).empty()) return core::failure{core::status::bad_config, "its configuration is no JSON"};
    search fields{document};
    fields.look(s, 0);
    prepared_config out;
    auto all = std::make_shared<templates_list>();
    std::size_t done = 0;
    for (const template_field& f : fields.found) {
        const std::string text = search::text_of(document.at(f.place));
        auto made = core::templates::compile(text, f.is_path ? core::templates::escaping::path : core::templates::escaping::none);
        if (!made) return core::failure{core::status::bad_config, made.error().text, core::expressions::excerpt(text, made.error())};
        const std::string_view raw = document.raw(f.place);
        const auto begin = static_cast<std::size_t>(raw.data() - config.data());
        out.json += config.substr(done, begin - done);
        done = begin + raw.size();
        if (f.is_path && made->is_constant()) {
            core::expressions::append_json(out.json, made->constant());
        } else {
            out.json += std::to_string(all->size());
            all->push_back(std::move(*made));
        }
    }
    out.json += config.substr(done);
    if (!all->empty())
        out.render = [all](std::uint32_t number, const core::message& m, std::span<char> room, std::size_t& size) {
            return render(*all, number, m, room, size);
        };
    return out;
}

}  // namespace mqb::loading
