// pace: when the next messages may go.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

namespace mqb::core {

// Times are those of a steady clock, in ns. Any thread: the workers of a route have one pace.
class pace {
public:
    // The time that a call takes up; it may go on when that is over.
    struct slot {
        std::uint64_t from = 0;
        std::uint64_t due = 0;
        double fraction = 0;  // of a ns, before it
    };

    // per_second: more than 0. A call takes up count/per_second.
    static std::shared_ptr<pace> of_messages(double per_second) { return std::make_shared<pace>(1e9 / per_second, 0.0, true); }
    // Each call takes up so long, however many messages it has.
    static std::shared_ptr<pace> of_calls(std::uint64_t ns) { return std::make_shared<pace>(0.0, static_cast<double>(ns), false); }
    pace(double ns_of_message, double ns_of_call, bool makes_up)
        : ns_of_message_(ns_of_message), ns_of_call_(ns_of_call), makes_up_(makes_up) {}

    // Behind the slot before, and not before `came`: what was not used is gone. Fractions of a ns are kept for the next one.
    [[nodiscard]] slot reserve(std::uint64_t came, std::uint32_t count) noexcept;
    // The wait is over, at `now`. As much as a timer comes late the next slot begins earlier, so that a rate is kept exactly.
    void used(const slot& s, std::uint64_t now) noexcept;
    // It was not used; the next one may have its time, unless others are behind it already.
    void give_back(const slot& s) noexcept;

private:
    const double ns_of_message_;
    const double ns_of_call_;
    const bool makes_up_;
    std::mutex mutex_;
    std::uint64_t next_ = 0;  // where the last slot ends
    double fraction_ = 0;
    std::uint64_t late_ns_ = 0;
};

}  // namespace mqb::core
