// faults: which call of which operation goes wrong, and how: the Nth, or each with a chance. One for each queue.
#pragma once

#include "wire.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace mqb::shapes::broker {

// What is done to a call. `lost`: carried out in part, then the connection breaks without an answer. `mute`: no answer until cancel.
enum class fault : std::uint8_t { none, retry, rejected, disconnected, uncertain, lost, gone, mute };

struct unknown_word : std::runtime_error {
    using runtime_error::runtime_error;
};
inline fault fault_named(std::string_view name) {
    constexpr std::string_view names[] = {"none", "retry", "rejected", "disconnected", "uncertain", "lost", "gone", "mute"};
    for (std::size_t i = 0; i < std::size(names); ++i)
        if (names[i] == name) return static_cast<fault>(i);
    throw unknown_word("there is no fault \"" + std::string(name) + '"');
}
inline wire::verb operation_named(std::string_view name) {
    if (name == "connect") return wire::verb::hello;
    if (name == "receive") return wire::verb::receive;
    if (name == "settle") return wire::verb::settle;
    if (name == "send") return wire::verb::send;
    throw unknown_word("there is no operation \"" + std::string(name) + '"');
}

// splitmix64: the same numbers everywhere for the same seed.
class dice {
public:
    void seed(std::uint64_t with) { state_ = with; }
    std::uint64_t next() {
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
        z = (z ^ z >> 27) * 0x94d049bb133111ebu;
        return z ^ z >> 31;
    }
    std::uint64_t below(std::uint64_t limit) { return limit ? next() % limit : 0; }
    bool is(double chance) { return static_cast<double>(next() >> 11) * 0x1p-53 < chance; }

private:
    std::uint64_t state_ = 1;
};

class faults {
public:
    dice random;

    // The nth call from now on, once.
    void at(wire::verb of, std::uint64_t nth, fault what) { once_.push_back({of, nth, what}); }
    // Each call with this chance, until it is set to 0.
    void with_chance(wire::verb of, fault what, double chance) {
        for (chances& c : always_)
            if (c.of == of && c.what == what) return void(c.chance = chance);
        always_.push_back({of, what, chance});
    }
    // Asked once for each call.
    fault next(wire::verb of) {
        fault out = fault::none;
        for (std::size_t i = 0; i < once_.size();) {
            once& n = once_[i];
            if (n.of == of && --n.left == 0) {
                out = n.what;
                once_.erase(once_.begin() + static_cast<std::ptrdiff_t>(i));
            } else {
                ++i;
            }
        }
        for (const chances& c : always_)
            if (out == fault::none && c.of == of && c.chance > 0 && random.is(c.chance)) out = c.what;
        if (out != fault::none) ++count_;
        return out;
    }
    std::uint64_t count() const { return count_; }

private:
    struct once {
        wire::verb of;
        std::uint64_t left;
        fault what;
    };
    struct chances {
        wire::verb of;
        fault what;
        double chance;
    };
    std::vector<once> once_;
    std::vector<chances> always_;
    std::uint64_t count_ = 0;
};

}  // namespace mqb::shapes::broker
