// Name set: remembers names by 128 bits of each, in about 32 bytes for a name however long it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace mqb::dir_spool {

class name_set {
public:
    void insert(std::string_view name);
    bool contains(std::string_view name) const noexcept;
    std::size_t size() const noexcept { return count_; }

private:
    struct mark {
        std::uint64_t high = 0, low = 0;  // both zero: a free place
        bool operator==(const mark&) const = default;
    };
    static mark mark_of(std::string_view name) noexcept;
    std::size_t place_of(const mark& of) const noexcept;

    std::vector<mark> marks_;  // a power of two, at most three quarters of them taken
    std::size_t count_ = 0;
};

}  // namespace mqb::dir_spool
