// checking: arrays laid out anew with poisoned gaps between the elements, so that a plugin which takes stride for size is found.
#pragma once

#include <mqb/message.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace mqb::loading {

// True if MQB_CHECKING=1 is set in the environment.
[[nodiscard]] bool is_checking_asked_for() noexcept;

// The arrays of one call, kept until its answer. Where the address sanitizer runs, the gaps are poisoned for it too.
class relaid_arrays {
public:
    static constexpr std::size_t gap = 16;
    static constexpr std::uint8_t filler = 0xA5;

    relaid_arrays() = default;
    ~relaid_arrays();
    relaid_arrays(const relaid_arrays&) = delete;
    relaid_arrays& operator=(const relaid_arrays&) = delete;

    // A copy of the list with gaps. Nothing for an empty list.
    [[nodiscard]] mqb_list lay(const mqb_list& from);
    // Copies the elements of the last array back to where they came from.
    void copy_back(const mqb_list& to) const;
    // False if a plugin wrote behind an element.
    [[nodiscard]] bool are_gaps_intact() const noexcept;

private:
    struct array {
        std::unique_ptr<std::uint8_t[]> bytes;
        mqb_list list{};
    };
    void poison(const array& a, bool on) const noexcept;
    std::vector<array> arrays_;
};

}  // namespace mqb::loading
