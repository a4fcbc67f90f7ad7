// tree_builder: makes nodes of the events of a parser and holds the rules that both file kinds share: keys once, bounds.
#pragma once

#include "host/config/node.hpp"

#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace mqb::config {

// Ends reading at once: what follows has no meaning any more.
class unreadable : public std::runtime_error {
public:
    unreadable(position where, const std::string& text) : std::runtime_error(text), at(where) {}
    position at;
};

struct repeated_key {
    position at;
    position before;
    std::string key;
};

class tree_builder {
public:
    // `source`: of the positions.
    explicit tree_builder(std::uint32_t source = 0) : source_(source) {}

    void null(position at);
    void scalar(position at, std::string_view text, bool is_quoted);
    void share(position at, node_ptr value);  // an alias
    void start_list(position at);
    void start_map(position at);
    // Ends the innermost list or map; answers it.
    node_ptr end();

    [[nodiscard]] position placed(position at) const noexcept { return {at.line, at.column, source_}; }
    [[nodiscard]] const node_ptr& root() const noexcept { return root_; }
    [[nodiscard]] const std::vector<repeated_key>& repeated() const noexcept { return repeated_; }

private:
    struct open {
        std::shared_ptr<node> value;
        bool has_key = false;
        bool is_merge = false;
        std::string key;
        position key_at;
        std::vector<entry> merged;                         // YAML's <<, own keys win, the first in the list wins
        std::unordered_map<std::string, position> places;  // of the own keys
        std::unordered_set<std::string> merged_keys;
    };
    std::shared_ptr<node> make(shape what, position at);
    bool take_key(position at, std::string_view text, bool is_quoted);
    void add(position at, node_ptr value);
    void add_entry(open& to, node_ptr value);
    void count(position at);
    void merge(open& to, position at, const node& from);

    std::uint32_t source_;
    std::uint64_t made_ = 0;
    std::vector<open> open_;
    node_ptr root_;
    std::vector<repeated_key> repeated_;
};

}  // namespace mqb::config
