// send_call: messages to send, or to handle, and what became of each.
#pragma once

#include <mqb/sdk/call.hpp>
#include <mqb/sdk/message.hpp>

namespace mqb::sdk {

// Threads: as the call. The outcome of a message of which nothing is said is UNSENT.
class send_call : public any_call<send_call, mqb_send> {
public:
    using any_call::any_call;
    std::uint32_t size() const noexcept { return raw().messages.count; }
    bool flushes() const noexcept { return size() == 0; }  // finish now what is held
    message_view operator[](std::uint32_t at) const noexcept { return message_view(mqb_message_at(&raw().messages, at), at); }
    detail::by_index<send_call> begin() const noexcept { return {this, 0}; }
    detail::by_index<send_call> end() const noexcept { return {this, size()}; }

    void done(std::uint32_t index) const noexcept { set(index, MQB_DONE); }
    void all_done() const noexcept {
        for (std::uint32_t i = 0; i < size(); ++i) mqb_outcome_at(&raw().outcomes, i)->result = MQB_DONE;
    }
    void unsent(std::uint32_t index) const noexcept { set(index, MQB_UNSENT); }
    // Refused for now; not to be tried again before delay_ns have passed.
    void again(std::uint32_t index, std::string_view text, std::uint64_t delay_ns = 0) const noexcept {
        set(index, MQB_AGAIN, delay_ns), explain_if(index, text);
    }
    void refused(std::uint32_t index, std::string_view text) const noexcept { set(index, MQB_REFUSED), explain_if(index, text); }
    void uncertain(std::uint32_t index, std::string_view text = {}) const noexcept { set(index, MQB_UNCERTAIN), explain_if(index, text); }
    // Handlers only: NACK at the source after delay_ns.
    void give_back(std::uint32_t index, std::string_view text = {}, std::uint64_t delay_ns = 0) const noexcept {
        set(index, MQB_GIVE_BACK, delay_ns), explain_if(index, text);
    }
    mqb_outcome& outcome(std::uint32_t index) const noexcept { return *mqb_outcome_at(&raw().outcomes, index); }

    // The response to a message, or a message that a handler publishes for it; borrowed for the call. False: nobody wants it.
    bool answer(std::uint32_t index, const mqb_message& response) const {
        if (!raw().answer) return false;
        if (check(index)) raw().answer(&raw(), index, &response);
        return true;
    }
    // With a payload of its own, and the id, lane and metadata of message `index`.
    bool answer(std::uint32_t index, std::string_view payload) const {
        if (!check(index)) return false;
        mqb_message response;
        mqb_message_copy(&raw().messages, index, &response);
        response.payload = borrowed(payload);
        return answer(index, response);
    }

private:
    bool check(std::uint32_t index) const noexcept {
        if (!checks_minimal || index < size()) return true;
        owner()->misuse("outcome of message ", index, " of a send of ", size());
        return false;
    }
    void set(std::uint32_t index, std::int32_t result, std::uint64_t number = 0) const noexcept {
        if (!check(index)) return;
        mqb_outcome* outcome = mqb_outcome_at(&raw().outcomes, index);
        outcome->result = result;
        outcome->number = number;
    }
    void explain_if(std::uint32_t index, std::string_view text) const noexcept {
        if (!text.empty()) explain(index, text);
    }
};

}  // namespace mqb::sdk
