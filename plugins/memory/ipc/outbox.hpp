// outbox: the sends of one connection that have no answer yet, in their order.
#pragma once

#include "outgoing.hpp"

#include <deque>

namespace mqb::memory {

// What has to be completed once no lock is held.
struct send_answer {
    sdk::operation<sdk::send_call> call;
    sdk::status status;
    std::string text;
};
void complete(std::vector<send_answer>& answers);

// Threads: one at a time (under the sink's lock).
class outbox {
public:
    // A new connection, on which nothing has been written.
    void restart() noexcept { frames_ = 0; }
    // Takes the frames; gives others for the next send, with the memory of one before.
    outgoing& add(framed_send& frames, bool confirms);
    // The last one is answered by its own call.
    void drop_last();

    bool is_empty() const noexcept { return all_.empty(); }
    bool has_unwritten() const noexcept { return !all_.empty() && !all_.back()->is_whole(); }

    // All that is unwritten, as far as the socket takes it. How many bytes; -1: it is broken, and errno says how.
    ssize_t write(int socket);
    // The body of a frame from the reader, other than the hello.
    void confirm(const std::uint8_t* body, std::size_t size);

    // Ends those that are over, or all. One that may still end with its own call, and has no other end, stays.
    void finish(std::vector<send_answer>& answers);
    void finish_all(sdk::status status, std::string_view text, std::vector<send_answer>& answers);
    // Ends one send. True: half of it is written, so the connection has to go.
    bool cancel(std::uint64_t operation, std::vector<send_answer>& answers);

private:
    outgoing* find(std::uint64_t frame);
    static void answer(outgoing& one, sdk::status status, std::string_view text, std::vector<send_answer>& answers);
    void put_aside(std::unique_ptr<outgoing> one);

    std::deque<std::unique_ptr<outgoing>> all_;  // those written come first
    std::vector<std::unique_ptr<outgoing>> spare_;
    std::uint64_t frames_ = 0;  // begun on this connection
};

}  // namespace mqb::memory
