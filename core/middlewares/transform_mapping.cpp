#include "core/middlewares/transform_mapping.hpp"

#include "core/expressions/json_text.hpp"
#include "core/middlewares/transform_failure.hpp"

#include <charconv>
#include <optional>
#include <utility>

namespace mqb::core {

namespace {

using expressions::json_document;

failure mistake(std::string text) { return {status::bad_config, std::move(text)}; }

constexpr std::size_t deepest = json_document::deepest;
// Of a document that is made; the one that it is made of is not bounded here.
constexpr std::size_t longest = 64u << 20;

// "a.b" as its names; none: one of them is empty.
std::optional<std::vector<std::string>> names_of(std::string_view key) {
    std::vector<std::string> out;
    for (;;) {
        const std::size_t dot = key.find('.');
        if (dot == 0 || key.empty()) return std::nullopt;
        out.emplace_back(key.substr(0, dot));
        if (dot == std::string_view::npos) return out;
        key.remove_prefix(dot + 1);
    }
}

}  // namespace

// path := "$" | ["$."] name ("." name | "[" digits "]")* | "$" ("[" digits "]")+ …
result<transform_mapping::field> transform_mapping::read_field(const json_view& what) {
    field out;
    const auto path = what.is_object() ? what.find("path") : std::optional<json_view>{what};
    if (!path || !path->is_text()) return mistake("has no path");
    if (const auto standard = what.find("default")) out.standard = standard->json();
    const auto required = what.find("required");
    out.is_required = required && required->is_true();
    out.path = path->text();
    std::string_view rest = out.path;
    const auto broken = [&](const std::string& why) { return mistake('"' + out.path + "\" is no path: " + why); };
    if (rest == "$") return out;
    if (rest.starts_with("$."))
        rest.remove_prefix(2);
    else if (rest.starts_with("$["))
        rest.remove_prefix(1);
    if (rest.empty()) return broken("it is empty");
    for (bool wants_name = rest.front() != '['; !rest.empty();) {
        if (wants_name) {
            const std::string_view name = rest.substr(0, rest.find_first_of(".["));
            if (name.empty()) return broken("a name is missing");
            out.steps.emplace_back(std::string{name});
            rest.remove_prefix(name.size());
        } else {
            rest.remove_prefix(1);
            std::uint64_t index = 0;
            const auto [end, failed] = std::from_chars(rest.data(), rest.data() + rest.size(), index);
            if (failed != std::errc{} || end == rest.data() + rest.size() || *end != ']') return broken("an index is a number in brackets");
            out.steps.emplace_back(index);
            rest.remove_prefix(static_cast<std::size_t>(end - rest.data()) + 1);
        }
        if (rest.empty()) break;
        wants_name = rest.front() == '.';
        if (wants_name)
            rest.remove_prefix(1);
        else if (rest.front() != '[')
            return broken("behind an index stands a dot, another index or nothing");
        if (rest.empty()) return broken("a name is missing");
    }
    if (out.steps.size() > deepest) return broken("it has more than " + std::to_string(deepest) + " steps");
    return out;
}

result<transform_mapping> transform_mapping::read(const json_view& fields) {
    transform_mapping out;
    branch top;
    for (const auto& [key, what] : fields.members()) {
        auto made = read_field(what);
        if (!made) return mistake("mapping: \"" + key + "\": " + made.error().text);
        const auto names = names_of(key);
        if (!names || names->size() > deepest) return mistake("mapping: \"" + key + "\" is no key: names with dots between them are");
        branch* at = &top;
        for (const std::string& name : *names) {
            if (at->field >= 0) return mistake("mapping: \"" + key + "\" stands inside another key, which is a value already");
            at = &at->members[name];
        }
        if (at->field >= 0 || !at->members.empty()) return mistake("mapping: \"" + key + "\" is an object already, because of another key");
        at->field = static_cast<int>(out.fields_.size());
        out.fields_.push_back(std::move(*made));
    }
    out.prepare(top, out.top_);
    return out;
}

void transform_mapping::prepare(const branch& from, node& to) const {
    if (from.field >= 0) to.what = &fields_[static_cast<std::size_t>(from.field)];
    for (const auto& [name, member] : from.members) {
        node& made = to.members.emplace_back();
        made.key = ',';
        expressions::append_json(made.key, name);
        made.key += ':';
        prepare(member, made);
    }
}

void transform_mapping::write(const json_document& from, expressions::arena& memory, std::string& to) const {
    if (!write(top_, from, memory, to)) to += "{}";
}

// False: nothing of it is there, and nothing was written.
bool transform_mapping::write(const node& n, const json_document& from, expressions::arena& memory, std::string& to) const {
    if (n.what) return write(*n.what, from, memory, to);
    const std::size_t begin = to.size();
    for (const node& member : n.members) {
        const std::size_t before = to.size();
        to += member.key;
        if (before == begin) to[begin] = '{';
        if (!write(member, from, memory, to)) to.resize(before);
        if (to.size() > longest) throw transform_failure("$", "content", "the mapped document is longer than 64 MiB");
    }
    if (to.size() == begin) return false;
    to += '}';
    return true;
}

bool transform_mapping::write(const field& f, const json_document& from, expressions::arena& memory, std::string& to) const {
    std::uint32_t place = 0;
    for (const step& s : f.steps) {
        if (const auto* name = std::get_if<std::string>(&s))
            place = from.is_object(place) ? from.place_of_member(place, *name) : 0;
        else
            place = from.is_list(place) ? from.place_of_element(place, std::get<std::uint64_t>(s)) : 0;
        if (place == 0) break;
    }
    if (place != 0 || f.steps.empty()) return from.append(to, place, memory), true;
    if (!f.standard.empty()) return to += f.standard, true;
    if (f.is_required) throw transform_failure(f.path, "missing_required", "the field is not there");
    return false;
}

}  // namespace mqb::core
