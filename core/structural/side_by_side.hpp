// side_by_side: connects or closes all branches at once, or tells them something, each as one call.
#pragma once

#include "core/call_pool.hpp"
#include "core/structural/branch.hpp"

#include <cstdint>
#include <vector>

namespace mqb::core {

// Used by one route. The branches outlive it and stay in place.
class side_by_side {
public:
    explicit side_by_side(const std::vector<branch>& all) : branches_(all), connected_(all.size()) {}

    // ok when all are connected; what is connected already is not connected again. One that never can be ends it at once.
    status connect(call& c);
    // Of all, whatever the others answer; the answer is the first failure.
    status close(call& c);
    // unsupported, where nobody knows it.
    status control(control_call& c);
    // False: it is none of these calls.
    bool cancel(call& c);

private:
    enum class kind : std::uint8_t { connect, close, control };
    struct joint;
    struct one : control_call {
        joint* of = nullptr;
        std::uint32_t number = 0;
        bool in_flight = false;
        status came = status::unsupported;
    };
    struct joint {
        side_by_side* self = nullptr;
        call* upper = nullptr;  // null: not in use
        kind what = kind::connect;
        std::uint32_t open = 0;
        bool gives_up = false;
        std::vector<one> all;  // one for each branch
    };
    joint& take(call& c, kind what);
    status start(joint& j);
    status start_one(one& o);
    void answered(one& o, status answer);
    void cancel_open(joint& j);
    status end(joint& j);

    const std::vector<branch>& branches_;
    std::vector<bool> connected_;
    call_pool<joint> joints_;
};

}  // namespace mqb::core
