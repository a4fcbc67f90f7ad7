#include "host/config/variables.hpp"

#include "host/config/near_match.hpp"
#include "host/config/secret_file.hpp"

#include <simdjson.h>

#include <algorithm>
#include <optional>
#include <unordered_map>

namespace mqb::config {

namespace {

bool is_name_start(char c) noexcept { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_'; }
bool is_name_part(char c) noexcept { return is_name_start(c) || (c >= '0' && c <= '9'); }

std::string_view name_at(std::string_view text) noexcept {
    if (text.empty() || !is_name_start(text.front())) return {};
    std::size_t n = 1;
    while (n < text.size() && is_name_part(text[n])) ++n;
    return text.substr(0, n);
}

// What stands between the braces.
struct reference {
    std::string_view space;  // "env", "file", another one, or none
    std::string_view name;
    std::optional<std::string_view> standard;
    bool is_valid = true;
};

void split_default(std::string_view rest, reference& into) {
    const std::size_t at = rest.find(":-");
    into.name = rest.substr(0, at);
    if (at != std::string_view::npos) into.standard = rest.substr(at + 2);
    into.is_valid = !into.name.empty() && name_at(into.name).size() == into.name.size();
}

reference read_reference(std::string_view inside) {
    reference out;
    const std::string_view word = name_at(inside);
    const std::string_view rest = inside.substr(word.size());
    if (!word.empty() && rest.starts_with(':') && !rest.starts_with(":-")) {
        out.space = word;
        if (word == "env") {
            split_default(rest.substr(1), out);
        } else {
            out.name = rest.substr(1);
        }
    } else {
        split_default(inside, out);
    }
    return out;
}

class expander {
public:
    expander(const environment& from, findings& to, std::vector<std::string>& secrets) : from_(from), to_(to), secrets_(secrets) {}

    node_ptr all(const node_ptr& root, std::string_view path) {
        if (root->what == shape::map)
            for (const char* key : {"env_vars", "envVars"})
                if (const entry* e = root->find(key)) read_own(*e, joined(path, key));
        return value(root, std::string{path}, "");
    }

private:
    // Values of `env_vars` may name variables of the environment, but not each other.
    void read_own(const entry& from, const std::string& at) {
        sources_.push_back(from.value.get());
        if (from.value->what == shape::null) return;
        if (from.value->what != shape::map) return to_.error(from.at, at, "has to be a map of names and texts");
        std::vector<std::pair<std::string, node_ptr>> values;
        for (const entry& e : from.value->entries) {
            const std::string path = joined(at, e.key);
            if (name_at(e.key).size() != e.key.size() || e.key.empty()) {
                to_.error(e.at, path, "is no name of a variable");
            } else if (e.value->what != shape::scalar) {
                to_.error(e.at, path, "has to be a text");
            } else {
                values.emplace_back(e.key, scalar(e.value, path));
            }
        }
        for (auto& [name, made] : values) own_.insert_or_assign(name, made);
    }

    node_ptr value(const node_ptr& from, const std::string& path, std::string_view key) {
        if (from->what == shape::null) return from;
        if (from->what == shape::scalar) {
            const bool is_lane = key == "order_by" && from->text == "${lane}";  // a template of its own
            return is_lane || from->text.find('$') == std::string::npos ? from : scalar(from, path);
        }
        if (std::find(sources_.begin(), sources_.end(), from.get()) != sources_.end()) return from;  // read already
        // An alias is expanded once, as it is read once: its findings stand at the anchor.
        if (const auto done = done_.find(from.get()); done != done_.end()) return done->second;
        auto made = std::make_shared<node>(*from);
        bool is_changed = false;
        for (std::size_t i = 0; i < made->items.size(); ++i) {
            node_ptr& item = made->items[i];
            node_ptr after = value(item, path + '[' + std::to_string(i) + ']', "");
            is_changed |= after != item;
            item = std::move(after);
        }
        for (entry& e : made->entries) {
            node_ptr after = value(e.value, joined(path, e.key), e.key);
            is_changed |= after != e.value;
            e.value = std::move(after);
        }
        const node_ptr out = is_changed ? node_ptr{made} : from;
        done_.emplace(from.get(), out);
        return out;
    }

    // One text. It is left as it was after an error.
    node_ptr scalar(const node_ptr& from, const std::string& path) {
        const std::string_view text = from->text;
        auto made = std::make_shared<node>(*from);
        made->text.clear();
        bool is_good = true;
        std::size_t at = 0;
        while (at < text.size()) {
            const std::size_t dollar = text.find('$', at);
            made->text += text.substr(at, dollar - at);
            if (dollar == std::string_view::npos) break;
            const std::string_view rest = text.substr(dollar);
            at = dollar + 1;
            if (rest.starts_with("$$")) {
                made->text += '$';
                at = dollar + 2;
            } else if (rest.starts_with("${")) {
                const std::size_t end = rest.find('}');
                if (end == std::string_view::npos) {
                    to_.error(from->at, path, "\"${\" without \"}\"; a \"${\" that is text is written \"$${\"");
                    return from;
                }
                at = dollar + end + 1;
                is_good &= put(read_reference(rest.substr(2, end - 2)), rest.substr(0, end + 1), *made, path);
            } else {
                made->text += '$';
                warn_of(name_at(rest.substr(1)), *from, path);
            }
        }
        return is_good ? node_ptr{made} : from;
    }

    // False: an error was told.
    bool put(const reference& what, std::string_view as_written, node& into, const std::string& path) {
        if (what.space == "file") return put_file(std::string{what.name}, into, path);
        if (!what.space.empty() && what.space != "env") {
            into.text += as_written;
            return true;
        }
        if (!what.is_valid)
            return fail(into, path, '"' + std::string{as_written} + "\" names no variable; a \"${\" that is text is written \"$${\"");
        if (what.standard && what.standard->find("${") != std::string_view::npos)
            return fail(into, path, "the default of a variable cannot hold another one");
        into.is_quoted = true;
        const std::string name{what.name};
        std::string found;
        if (const auto outside = from_.find(what.name); outside != from_.end()) {
            found = outside->second;
            if (!simdjson::validate_utf8(found.data(), found.size()))
                return fail(into, path, "the value of the variable " + name + " is not UTF-8");
        } else if (const auto own = own_.find(name); own != own_.end()) {
            found = own->second->text;
            into.is_secret |= own->second->is_secret;
        } else if (!what.standard) {
            return fail(into, path, "the variable " + name + " is not set and has no default" + near(name));
        }
        return add(found.empty() && what.standard ? std::string{*what.standard} : found, into, path);
    }

    bool put_file(const std::string& name, node& into, const std::string& path) {
        auto at = files_.find(name);
        if (at == files_.end()) {
            at = files_.emplace(name, read_secret_file(name, largest_secret_file)).first;
            if (at->second && !at->second->empty()) secrets_.push_back(*at->second);
        }
        if (!at->second) return fail(into, path, at->second.error().text);
        into.is_quoted = true;
        into.is_secret = true;
        return add(*at->second, into, path);
    }

    // A few long values that are named often must not fill the memory.
    bool add(std::string_view text, node& into, const std::string& path) {
        if (text.size() > room_)
            return fail(into, path,
                        "the values of variables are larger than " + std::to_string(most_expanded_bytes >> 20) + " MiB together");
        room_ -= text.size();
        into.text += text;
        return true;
    }

    bool fail(const node& at, const std::string& path, std::string text) {
        to_.error(at.at, path, std::move(text));
        return false;
    }

    void warn_of(std::string_view name, const node& at, const std::string& path) {
        if (name.empty() || (!from_.contains(name) && !own_.contains(std::string{name}))) return;
        const std::string word{name};
        to_.warning(at.at, path, "\"$" + word + "\" is text, though " + word + " is set: a variable is written \"${" + word + "}\"");
    }

    std::string near(const std::string& name) const {
        std::vector<std::string> known;
        for (const auto& [other, text] : own_) known.push_back(other);
        for (const auto& [other, text] : from_) known.push_back(other);
        return did_you_mean(name, known);
    }

    const environment& from_;
    findings& to_;
    std::vector<std::string>& secrets_;
    std::unordered_map<std::string, node_ptr> own_;
    std::unordered_map<std::string, core::result<std::string>> files_;
    std::vector<const node*> sources_;
    std::size_t room_ = most_expanded_bytes;
    std::unordered_map<const node*, node_ptr> done_;
};

}  // namespace

node_ptr expand_variables(const node_ptr& root, std::string_view path, const environment& from, findings& to,
                          std::vector<std::string>& secrets) {
    return expander{from, to, secrets}.all(root, path);
}

}  // namespace mqb::config
