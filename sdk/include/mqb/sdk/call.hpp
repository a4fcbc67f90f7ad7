// call: a start as plugin code sees it: its number, its texts, and the way to answer it later.
#pragma once

#include <mqb/call.h>
#include <mqb/sdk/operation.hpp>

namespace mqb::sdk {

// What all calls have in common. Two pointers, to be passed by reference or copied. Valid until the call is answered.
// Threads: as the call; once taken with later(), one thread at a time.
template <class Derived, class Raw>
class any_call {
public:
    any_call() = default;
    any_call(Raw& raw, instance& owner) noexcept : raw_(&raw), owner_(&owner) {}

    Raw& raw() const noexcept { return *raw_; }
    instance* owner() const noexcept { return owner_; }
    std::uint64_t id() const noexcept { return raw_->call.operation; }

    // Text for people; the last one counts. Before the answer.
    void explain(std::string_view text) const noexcept { detail::explain(raw_->call, MQB_WHOLE_CALL, text); }
    void explain(std::uint32_t index, std::string_view text) const noexcept { detail::explain(raw_->call, index, text); }
    [[nodiscard]] status fail(status answer, std::string_view text) const noexcept { return explain(text), answer; }

    // Takes the end of this call: the function returns status::pending, and the operation is completed later, on any thread.
    [[nodiscard]] operation<Derived> later() noexcept {
        if (owner_->is_starting(&raw_->call)) {
            owner_->misuse("later() was called twice for one call: the second operation is empty");
            return {};
        }
        owner_->began_later(&raw_->call);
        return operation<Derived>(Derived(*raw_, *owner_));
    }

private:
    Raw* raw_ = nullptr;
    instance* owner_ = nullptr;
};

namespace detail {

// connect has no struct of its own: this gives mqb_call the shape of the others.
struct bare_call {
    mqb_call call;
};

// Runs one start of plugin code and gives the answer that the host may have.
template <class Call, class Work>
mqb_status start(Call& call, mqb_status if_thrown, Work&& work) noexcept {
    const mqb_status answer = at_the_edge(call.raw().call, if_thrown, std::forward<Work>(work));
    if (call.owner()->is_starting(&call.raw().call)) return call.owner()->end_start(answer);
    if (answer != MQB_PENDING) return note_end(call, static_cast<status>(answer)), answer;
    call.owner()->misuse("a start answered pending without later()");
    return if_thrown;
}

}  // namespace detail

// Connects once, without retrying.
class connect_call : public any_call<connect_call, detail::bare_call> {
public:
    using any_call::any_call;
};

// A cold ability by name.
class control_call : public any_call<control_call, mqb_control> {
public:
    using any_call::any_call;
    std::string_view name() const noexcept { return view(raw().id); }
    std::string_view request() const noexcept { return view(raw().request); }  // JSON
    void answer(std::string_view json) const { raw().answer(&raw(), text_of(json)); }
};

}  // namespace mqb::sdk
