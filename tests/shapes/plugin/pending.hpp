// pending: an operation of the host that waits for an answer on a link.
#pragma once

#include "link.hpp"

#include <mqb/sdk.hpp>

namespace mqb::shapes {

// Read: sdk::status(wire::reader &, Call &), which fills the answer. Lost: sdk::status(Call &), when the connection is gone.
template <class Call, class Read, class Lost>
class pending final : public link::request {
public:
    pending(Call& call, Read read, Lost if_lost) : operation_(call.later()), read_(std::move(read)), lost_(std::move(if_lost)) {}
    void answered(wire::reader& in) override {
        sdk::status answer = sdk::status::disconnected;
        try {
            answer = read_(in, *operation_);
        } catch (const std::exception& wrong) { operation_->explain(wrong.what()); }
        operation_.complete(answer);
    }
    void lost() override { operation_.complete(lost_(*operation_), "the connection to the broker is gone"); }

private:
    sdk::operation<Call> operation_;
    Read read_;
    Lost lost_;
};

template <class Call, class Read, class Lost>
std::unique_ptr<link::request> make_pending(Call& call, Read read, Lost lost) {
    return std::make_unique<pending<Call, Read, Lost>>(call, std::move(read), std::move(lost));
}

// For calls of which nothing is to be said when the connection is gone.
template <class Call>
sdk::status just_lost(const Call&) {
    return sdk::status::disconnected;
}

inline sdk::status read_hello(wire::reader& in, const sdk::connect_call& call) {
    const auto answer = static_cast<sdk::status>(in.word<wire::answer>());
    return answer == sdk::status::done ? answer : call.fail(answer, in.text());
}

}  // namespace mqb::shapes
