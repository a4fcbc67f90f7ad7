// Publisher: the publisher side of the plugin, or a handler, called as a host calls it and checked at every answer.
#pragma once
#include "consumer.hpp"

namespace mqb::conformance {

struct sending {
    operation* op;
    std::shared_ptr<parcel> messages;
    hostile_list<mqb_outcome> outcomes;
    std::uint32_t count;
};

class publisher : public handle<mqb_publisher, mqb_publisher_table> {
public:
    explicit publisher(recipe);

    sending start_send(const std::vector<letter>&, lending = lending::counted, bool with_answer = true);
    // Waits for the answer, takes the memory back and gives the outcomes. Fails when the answer breaks a rule.
    std::vector<mqb_outcome> finish(sending&, std::chrono::milliseconds patience);
    // Sends and requires every message to be DONE, sending again what came back AGAIN or UNSENT.
    void deliver(const std::vector<letter>&, lending = lending::counted);
    void flush();
    operation& start_control(const std::string& id, const std::string& request);

private:
    static void on_answer(mqb_send*, std::uint32_t, const mqb_message*);
};

}  // namespace mqb::conformance
