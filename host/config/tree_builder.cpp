#include "host/config/tree_builder.hpp"

#include <algorithm>
#include <utility>

namespace mqb::config {

// Counted as they come, so that a file of one endless list is refused before it is in memory.
void tree_builder::count(position at) {
    if (++made_ > most_values) throw unreadable(at, "more than " + std::to_string(most_values) + " values, aliases counted as copies");
}

std::shared_ptr<node> tree_builder::make(shape what, position at) {
    count(at);
    auto made = std::make_shared<node>();
    made->what = what;
    made->at = placed(at);
    return made;
}

void tree_builder::null(position at) {
    if (take_key(at, "null", false)) return;
    add(at, make(shape::null, at));
}

void tree_builder::scalar(position at, std::string_view text, bool is_quoted) {
    if (take_key(at, text, is_quoted)) return;
    auto made = make(shape::scalar, at);
    made->text = text;
    made->is_quoted = is_quoted;
    add(at, std::move(made));
}

void tree_builder::share(position at, node_ptr value) {
    if (value->what == shape::scalar && take_key(at, value->text, true)) return;
    add(at, std::move(value));
}

void tree_builder::start_list(position at) {
    if (!open_.empty() && open_.back().value->what == shape::map && !open_.back().has_key)
        throw unreadable(at, "a key has to be a text; or this is never closed");
    if (open_.size() >= deepest) throw unreadable(at, "nested more than " + std::to_string(deepest) + " levels");
    open_.push_back({make(shape::list, at), false, false, {}, {}, {}, {}, {}});
}

void tree_builder::start_map(position at) {
    start_list(at);
    open_.back().value->what = shape::map;
}

node_ptr tree_builder::end() {
    open ended = std::move(open_.back());
    open_.pop_back();
    for (entry& e : ended.merged)
        if (!ended.places.contains(e.key)) ended.value->entries.push_back(std::move(e));
    node& made = *ended.value;
    for (const node_ptr& item : made.items) {
        made.weight += item->weight;
        made.depth = std::max(made.depth, item->depth + 1);
    }
    for (const entry& e : made.entries) {
        made.weight += e.value->weight;
        made.depth = std::max(made.depth, e.value->depth + 1);
    }
    // Checked wherever a value is complete, so that neither sum can overflow.
    if (made.weight > most_values)
        throw unreadable(made.at, "more than " + std::to_string(most_values) + " values, aliases counted as copies");
    if (made.depth > deepest) throw unreadable(made.at, "nested more than " + std::to_string(deepest) + " levels");
    node_ptr value = std::move(ended.value);
    add(value->at, value);
    return value;
}

// The key of an entry comes as an event like any value.
bool tree_builder::take_key(position at, std::string_view text, bool is_quoted) {
    if (open_.empty() || open_.back().value->what != shape::map || open_.back().has_key) return false;
    open& map = open_.back();
    map.has_key = true;
    map.key = text;
    map.key_at = placed(at);
    map.is_merge = text == "<<" && !is_quoted;
    return true;
}

void tree_builder::add(position at, node_ptr value) {
    if (open_.empty()) {
        root_ = std::move(value);
        return;
    }
    open& to = open_.back();
    if (to.value->what == shape::list) {
        to.value->items.push_back(std::move(value));
        return;
    }
    if (!to.has_key) throw unreadable(at, "a key has to be a text");
    to.has_key = false;
    add_entry(to, std::move(value));
}

void tree_builder::add_entry(open& to, node_ptr value) {
    if (to.is_merge) {
        if (value->what == shape::list) {
            for (const node_ptr& item : value->items) merge(to, to.key_at, *item);
        } else {
            merge(to, to.key_at, *value);
        }
        return;
    }
    if (const auto [before, is_new] = to.places.emplace(to.key, to.key_at); !is_new) {
        repeated_.push_back({to.key_at, before->second, to.key});
        return;
    }
    to.value->entries.push_back({std::exchange(to.key, {}), to.key_at, std::move(value)});
}

void tree_builder::merge(open& to, position at, const node& from) {
    if (from.what != shape::map) throw unreadable(at, "<< takes a map or a list of maps");
    for (const entry& e : from.entries) {
        if (!to.merged_keys.insert(e.key).second) continue;
        count(at);
        to.merged.push_back(e);
    }
}

}  // namespace mqb::config
