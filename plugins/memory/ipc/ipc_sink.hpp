// ipc_sink: the publishing end of a socket.
#pragma once

#include "../config.hpp"
#include "../sink.hpp"
#include "descriptor.hpp"
#include "outbox.hpp"

#include <mqb/sdk/timer.hpp>

#include <mutex>
#include <thread>

namespace mqb::memory {

// A send is written by the host's own call as far as the socket takes it; a thread writes the rest, and reads the confirmations.
// States: closed -> open -> broken -> open … A broken one answers DISCONNECTED until it is connected again.
// Threads: the host's calls one at a time; cancel, the timer and the thread of its own beside them, under one lock.
class ipc_sink final : public sink {
public:
    ipc_sink(const sdk::host_ref& host, const config& with) : host_(host), config_(with) {}
    ~ipc_sink() override;

    void connect() override;
    sdk::status send(sdk::send_call& call) override;
    void cancel(std::uint64_t operation) override;

private:
    using answers = std::vector<send_answer>;
    void start_thread();
    void run();
    void serve(std::uint32_t events, answers& out);
    bool write(answers& out);
    void read_confirmations(answers& out);
    std::string why_gone(int error) const;
    void fail(std::string why, answers& out);
    void watch();
    void look_after_stall();
    void stalled(bool on_time);

    const sdk::host_ref host_;
    const config config_;
    std::string path_;
    std::thread thread_;
    descriptor epoll_, stop_;

    std::mutex mutex_;
    descriptor socket_;
    bool is_broken_ = true;
    std::string why_ = "it is not connected";
    framed_send scratch_;
    outbox box_;
    bool is_blocked_ = false;  // the socket is full: the thread writes when there is room
    std::uint32_t watched_ = 0;
    bool has_greeted_back_ = false;
    std::string input_;
    std::uint64_t progress_ = 0, stall_seen_ = 0;  // counts what moves
    bool has_warned_ = false, has_timer_ = false;
    sdk::timer timer_;
};

}  // namespace mqb::memory
