// Csv columns: the names of the columns of a file that is written, and which one a key belongs to.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace mqb::file {

class csv_columns {
public:
    static constexpr std::size_t none = SIZE_MAX;

    csv_columns() = default;
    // Of equal names the first is meant.
    explicit csv_columns(std::vector<std::string> names) : names_(std::move(names)) {
        for (std::size_t i = 0; i < names_.size(); ++i) at_.emplace(names_[i], i);
    }
    csv_columns(csv_columns&&) = default;
    csv_columns& operator=(csv_columns&&) = default;

    // Records have their keys in the order of the columns, mostly: the one behind the last found is tried first.
    std::size_t find(std::string_view name) noexcept {
        if (next_ >= names_.size()) next_ = 0;
        if (names_.empty()) return none;
        if (names_[next_] == name) return next_++;
        const auto found = at_.find(name);
        if (found == at_.end()) return none;
        next_ = found->second + 1;
        return found->second;
    }

    bool empty() const noexcept { return names_.empty(); }
    std::size_t size() const noexcept { return names_.size(); }
    const std::string& operator[](std::size_t i) const noexcept { return names_[i]; }
    const std::vector<std::string>& names() const noexcept { return names_; }

private:
    std::vector<std::string> names_;
    std::unordered_map<std::string_view, std::size_t> at_;  // into names_, whose texts stay where they are
    std::size_t next_ = 0;
};

}  // namespace mqb::file
