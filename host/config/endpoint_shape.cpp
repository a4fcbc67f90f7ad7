#include "host/config/endpoint_shape.hpp"

#include "host/config/near_match.hpp"

#include <array>
#include <map>

namespace mqb::config {

namespace {

constexpr std::string_view list_key = "middlewares";

// custom: {name: pulsar, config: {…}} says the same as pulsar: {…}.
void resolve_custom(typed_config& what, findings& to) {
    const node_ptr value = what.config;
    what.type.clear();
    if (!value || value->what != shape::map) return to.error(what.at, what.path, "takes a map with name and config");
    static const std::array<std::string, 2> known{"name", "config"};
    for (const entry& e : value->entries)
        if (e.key != known[0] && e.key != known[1]) to.error(e.at, joined(what.path, e.key), "unknown key" + did_you_mean(e.key, known));
    const entry* name = value->find(known[0]);
    if (!name || name->value->what != shape::scalar || name->value->text.empty())
        return to.error(name ? name->at : what.at, what.path + ".name", name ? "has to be a text" : "missing");
    const entry* config = value->find(known[1]);
    what.type = name->value->text;
    what.config = config ? config->value : nullptr;
    if (config) what.path += ".config";
}

typed_config read_typed(const entry& from, const std::string& path, findings& to) {
    typed_config out{from.key, from.at, from.value, joined(path, from.key)};
    if (out.config->what == shape::null) out.config = nullptr;
    if (out.type == "custom") resolve_custom(out, to);
    return out;
}

bool is_index(const std::string& key) {
    return !key.empty() && key.size() <= 4 && key.find_first_not_of("0123456789") == std::string::npos;
}

// A list, or a map whose keys are its numbers.
std::vector<node_ptr> items_of(const entry& list, const std::string& path, findings& to) {
    if (list.value->what == shape::null || list.value->what == shape::list) return list.value->items;
    std::map<unsigned long, node_ptr> numbered;
    if (list.value->what == shape::map)
        for (const entry& e : list.value->entries)
            if (is_index(e.key)) numbered.emplace(std::stoul(e.key), e.value);
    if (numbered.empty() || numbered.size() != list.value->entries.size()) {
        to.error(list.at, path, "has to be a list");
        return {};
    }
    std::vector<node_ptr> out;
    for (auto& [number, value] : numbered) out.push_back(std::move(value));
    return out;
}

void read_middlewares(const entry& list, endpoint_shape& out, findings& to) {
    const std::string path = joined(out.path, list.key);
    const std::vector<node_ptr> items = items_of(list, path, to);
    for (std::size_t i = 0; i < items.size(); ++i) {
        const node& item = *items[i];
        const std::string item_path = path + '[' + std::to_string(i) + ']';
        if (item.what != shape::map || item.entries.size() != 1) {
            to.error(item.at, item_path, "has to be a map with one key, the name of the middleware");
            out.middlewares.push_back({{}, item.at, nullptr, item_path});
        } else {
            out.middlewares.push_back(read_typed(item.entries.front(), item_path, to));
        }
        out.middlewares.back().place = item_path;
    }
}

void too_many_types(const entry& first, const entry& other, const endpoint_shape& out, findings& to) {
    static const std::array<std::string, 1> known{std::string{list_key}};
    const std::string hint = did_you_mean(other.key, known);
    if (!hint.empty()) return to.error(other.at, joined(out.path, other.key), "unknown key" + hint);
    to.error(other.at, out.path,
             "two endpoint types, \"" + first.key + "\" and \"" + other.key + "\": beside the type stands only \"middlewares\"");
}

}  // namespace

endpoint_shape read_endpoint(const node& value, position key_at, std::string path, findings& to) {
    endpoint_shape out;
    out.path = std::move(path);
    out.what.at = key_at;
    out.what.path = out.path;
    const bool is_null_text = value.what == shape::scalar && value.text == "null";
    if (value.what == shape::null || is_null_text || (value.what == shape::map && value.entries.empty())) {
        out.what.type = "null";
        out.is_empty = true;
        return out;
    }
    if (value.what != shape::map) {
        to.error(value.at, out.path, "an endpoint is a map like \"TYPE: {…}\", or null");
        return out;
    }
    const entry* type = nullptr;
    for (const entry& e : value.entries) {
        if (e.key == list_key) {
            read_middlewares(e, out, to);
        } else if (type) {
            too_many_types(*type, e, out, to);
        } else {
            type = &e;
            out.what = read_typed(e, out.path, to);
        }
    }
    if (!type) to.error(key_at, out.path, "names no endpoint type beside its middlewares");
    return out;
}

}  // namespace mqb::config
