// branching_publisher: what the outputs have in common that pass each message on to some of several branches.
#pragma once

#include "core/call_pool.hpp"
#include "core/structural/branch.hpp"
#include "core/structural/side_by_side.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace mqb::core {

// A send is pending until each branch that has got a part of it has answered. An empty one, a flush, goes to all. Used by one route.
//
// keeps_order: all branches keep the order of what is sent again, and so does the whole. A branch gives back only what was started
// before its own answer; what is started until the caller hears of that, with the last answer to the same send, does not go there.
class branching_publisher : public publisher {
public:
    branching_publisher(std::vector<branch> all, bool keeps_order)
        : branches_(std::move(all)), keeps_order_(keeps_order), failed_(branches_.size()), others_(branches_) {}

    status connect(call& c) final { return others_.connect(c); }
    status close(call& c) final { return others_.close(c); }
    status send(send_call& c) final;
    // The end of the input concerns all of them; whatever else is asked, several cannot answer as one.
    status control(control_call& c) final { return c.id == "input.ended" ? others_.control(c) : status::unsupported; }
    void cancel(call& c) final;
    void listen(event_sink* sink) final;

protected:
    struct one_send;
    // What one branch gets of a send.
    struct part : send_call {
        one_send* of = nullptr;
        std::uint32_t number = 0;  // of the branch
        std::vector<message> some;
        std::vector<std::uint32_t> index;  // which messages of the send these are; empty: all, as they came
        std::vector<outcome> came;
        bool in_flight = false;
        bool failed = false;  // and the caller has not heard of it
        status answered = status::ok;

        [[nodiscard]] std::uint32_t index_of(std::uint32_t k) const noexcept { return index.empty() ? k : index[k]; }
        // All of the send, without a copy.
        void take_all(const send_call& all, list<outcome> into);
        void add(const message& m, std::uint32_t i) {
            some.push_back(m);
            index.push_back(i);
        }
        // What was added is all.
        void take_added();
    };
    // What one kind of branching keeps about a send.
    struct notes {
        virtual ~notes() = default;
    };
    struct one_send {
        branching_publisher* self = nullptr;
        send_call* upper = nullptr;  // null: not in use
        std::vector<part> parts;     // one for each branch; one without messages is not sent
        std::uint32_t open = 0;
        std::unique_ptr<notes> own;
    };

    [[nodiscard]] virtual std::unique_ptr<notes> make_notes() const { return nullptr; }
    // Fills the parts; what goes to nobody has its outcome.
    virtual void divide(one_send& s) = 0;
    // Brings outcomes and texts of all parts to where the caller looks for them.
    virtual void collect(one_send& s) = 0;

    [[nodiscard]] const std::vector<branch>& branches() const noexcept { return branches_; }
    // The only part of which something is not done, what it says about the whole of it told for the whole send; null: there are several.
    [[nodiscard]] const part* only_failed(const one_send& s) const;
    // Why message `k` of a part is not done, for people; empty: nobody says so, or it was told for the whole send.
    [[nodiscard]] std::string why(const part& p, std::uint32_t k, const part* only) const;

private:
    one_send& take(send_call& c);
    void answered(part& p, status answer);
    status end(one_send& s);
    [[nodiscard]] status merged(const one_send& s) const;

    const std::vector<branch> branches_;
    const bool keeps_order_;
    std::vector<std::uint32_t> failed_;  // sends of each branch that failed and that the caller has not heard of
    side_by_side others_;
    call_pool<one_send> sends_;
};

}  // namespace mqb::core
