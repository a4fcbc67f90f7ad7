// journal: what happened at one queue, in order, and the counts of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mqb::shapes::broker {

// Threads: one.
class journal {
public:
    // A message, by its place in the queue, as somebody did something with it: "send 3 done 17" is session 3, message 17.
    void note(const char* what, std::uint32_t session, const char* outcome, std::uint64_t message) {
        events_.push_back({what, outcome, session, message});
    }
    void violation(std::string text) { violations_.push_back(std::move(text)); }

    std::string text() const {
        std::string out;
        for (const event& e : events_) {
            out += e.what;
            out += ' ' + std::to_string(e.session) + ' ';
            out += e.outcome;
            out += ' ' + std::to_string(e.message) + '\n';
        }
        return out;
    }
    const std::vector<std::string>& violations() const { return violations_; }

    std::uint64_t deliveries = 0, redeliveries = 0;                               // messages
    std::uint64_t acknowledged = 0, rejected = 0, replies = 0;                    // messages; replies
    std::uint64_t nacks = 0, gone = 0, given_back = 0, expired = 0, dropped = 0;  // dropped: with a connection
    std::uint64_t sends = 0, stored = 0, repeats = 0;                             // messages; repeats: taken and not stored again
    std::uint64_t connections = 0, revocations = 0;

private:
    struct event {
        const char *what, *outcome;  // literals
        std::uint32_t session;
        std::uint64_t message;
    };
    std::vector<event> events_;
    std::vector<std::string> violations_;
};

}  // namespace mqb::shapes::broker
