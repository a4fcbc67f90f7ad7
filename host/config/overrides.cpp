#include "host/config/overrides.hpp"

#include "host/config/near_match.hpp"
#include "host/config/route_options.hpp"
#include "host/config/settings.hpp"

#include <charconv>
#include <optional>
#include <string>
#include <string_view>

namespace mqb::config {

namespace {

constexpr std::string_view prefix = "MQB__";
constexpr std::string_view separator = "__";

// As a variable would spell it, in lower case.
std::string folded(std::string_view name) {
    std::string out{name};
    for (char& c : out) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
        if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))) c = '_';
    }
    return out;
}

std::string_view first_part(std::string_view rest) { return rest.substr(0, rest.find(separator)); }

// What is left behind a part; none where the path ends with it.
std::string_view behind(std::string_view rest, std::size_t part) {
    return part == rest.size() ? std::string_view{} : rest.substr(part + separator.size());
}

// One variable on its way through the trees.
class walk {
public:
    walk(std::string_view name, const std::string& value, findings& to)
        : path_(folded(name.substr(prefix.size()))), value_(value), name_(name), at_{0, 0, to.source(name)}, to_(to) {}

    void apply(std::vector<node_ptr>& roots) {
        std::size_t parts = 1;
        for (std::size_t at = 0; (at = path_.find(separator, at)) != std::string::npos; at += separator.size()) ++parts;
        if (parts > deepest) return (void)fail("has more than " + std::to_string(deepest) + " parts");
        bool is_done = false;
        for (node_ptr& root : roots)
            if (root && root->what == shape::map) is_done |= in_file(root);
        if (!is_done && is_setting(first_part(path_)))
            for (node_ptr& root : roots)
                if (!is_done && root && root->what == shape::map) is_done = replace(root, path_, "");
        if (!is_done && !is_told_) nothing(roots);
    }

private:
    bool in_file(node_ptr& root) {
        const entry* routes = root->find("routes");
        if (const entry* top = matched(*root, path_)) {
            if (folded(top->key) == "env_vars" || top->key == "envVars")
                return fail("addresses \"" + top->key + "\": set the variable itself") != nullptr;
            return replace(root, path_, "");
        }
        const bool is_lone = root->find("input") || root->find("output");
        if (is_lone) return route_schema().find(std::string{first_part(path_)}) && replace(root, path_, "");
        const std::string_view part = first_part(path_);
        if (!routes && part == "routes") {
            const std::string_view rest = behind(path_, part.size());
            return matched(*root, rest) && replace(root, rest, "");
        }
        if (!routes || routes->value->what != shape::map || !matched(*routes->value, path_)) return false;
        return replace(root, std::string{"routes__"} + path_, "");
    }

    bool replace(node_ptr& root, std::string_view rest, const std::string& path) {
        const node_ptr made = put(root, rest, path);
        if (made) root = made;
        return made != nullptr;
    }

    // The key that the longest part of `rest` names.
    const entry* matched(const node& in, std::string_view rest) {
        const entry* best = nullptr;
        std::size_t longest = 0;
        for (const entry& e : in.entries) {
            const std::string key = folded(e.key);
            if (!rest.starts_with(key) || (rest.size() > key.size() && !rest.substr(key.size()).starts_with(separator))) continue;
            if (best && key.size() == longest) {
                fail('"' + best->key + "\" and \"" + e.key + "\" have the same name in a variable");
                return nullptr;
            }
            if (!best || key.size() > longest) {
                best = &e;
                longest = key.size();
            }
        }
        return best;
    }

    // A copy of `from` with the value at `rest`; null after an error.
    node_ptr put(const node_ptr& from, std::string_view rest, const std::string& path) {
        if (rest.empty()) return leaf();
        if (from->what == shape::scalar) return fail("addresses nothing: " + path + " is a text");
        auto made = std::make_shared<node>(*from);
        if (from->what == shape::list) return item(made, rest, path);
        made->what = shape::map;
        if (const entry* given = matched(*from, rest)) {
            entry& changed = made->entries[static_cast<std::size_t>(given - from->entries.data())];
            const std::string_view left = behind(rest, given->key.size());
            changed.value = put(given->value, left, joined(path, given->key));
            if (left.empty()) changed.at = at_;
            return changed.value ? made : nullptr;
        }
        if (is_told_) return nullptr;
        // A key that is not there yet: whether there is such a one, its schema says.
        const std::string_view part = first_part(rest);
        if (part.empty()) return fail("has an empty part in its name");
        node_ptr value = put(std::make_shared<const node>(), behind(rest, part.size()), joined(path, part));
        if (!value) return nullptr;
        made->entries.push_back({std::string{part}, at_, std::move(value)});
        return made;
    }

    node_ptr item(const std::shared_ptr<node>& list, std::string_view rest, const std::string& path) {
        const std::string_view part = first_part(rest);
        std::size_t index = 0;
        const auto [end, failed] = std::from_chars(part.data(), part.data() + part.size(), index);
        if (failed != std::errc{} || end != part.data() + part.size() || index >= list->items.size()) {
            const std::size_t count = list->items.size();
            return fail("addresses nothing: " + path + " is a list of " + std::to_string(count) + (count == 1 ? " entry" : " entries") +
                        ", counted from 0");
        }
        node_ptr& changed = list->items[index];
        changed = put(changed, behind(rest, part.size()), path + '[' + std::to_string(index) + ']');
        return changed ? list : nullptr;
    }

    // Typed by the schema, like a text without quotes.
    [[nodiscard]] node_ptr leaf() const {
        auto made = std::make_shared<node>();
        made->what = shape::scalar;
        made->at = at_;
        made->text = value_;
        return made;
    }

    node_ptr fail(std::string text) {
        to_.error(at_, "", std::move(text));
        is_told_ = true;
        return nullptr;
    }

    void nothing(const std::vector<node_ptr>& roots) {
        std::vector<std::string> known = setting_names();
        for (const node_ptr& root : roots) {
            if (!root) continue;
            for (const entry& e : root->entries) known.push_back(folded(e.key));
            if (const entry* routes = root->find("routes"))
                for (const entry& e : routes->value->entries) known.push_back(folded(e.key));
        }
        const std::string part{first_part(path_)};
        (void)fail("addresses nothing: there is no route and no key \"" + part + '"' + did_you_mean(part, known));
    }

    std::string path_;
    const std::string& value_;
    std::string_view name_;
    position at_;
    findings& to_;
    bool is_told_ = false;
};

}  // namespace

void apply_overrides(std::vector<node_ptr>& roots, const environment& from, findings& to) {
    for (auto at = from.lower_bound(prefix); at != from.end() && at->first.starts_with(prefix); ++at)
        if (!at->second.empty()) walk{at->first, at->second, to}.apply(roots);
}

}  // namespace mqb::config
