// Id set: remembers the ids of chunks, in about 32 bytes for each, and forgets those that are no longer there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <mqb/sdk/message_id.hpp>

namespace mqb::dir_spool {

// One thread at a time.
class id_set {
public:
    void insert(const sdk::message_id& id);
    bool contains(const sdk::message_id& id) const noexcept;
    std::size_t size() const noexcept { return count_; }

    // A look over everything that is there: begun, each id found, and at its end those that were not found are forgotten, though not
    // always at once: as many as were found may stay, and a thousand. What is inserted meanwhile is found.
    void begin_look();
    bool find(const sdk::message_id& id);
    void end_look();

private:
    struct mark {
        std::uint64_t high = 0, low = 0;  // both zero: a free place
        bool operator==(const mark&) const = default;
    };
    static mark mark_of(const sdk::message_id& id) noexcept;
    std::size_t place_of(const mark& of) const noexcept;
    void move_to(std::size_t places, bool found_only);

    std::vector<mark> marks_;     // a power of two, at most three quarters of them taken
    std::vector<bool> is_found_;  // one for each place
    std::size_t count_ = 0;
};

}  // namespace mqb::dir_spool
