// ipc_sink: the publishing end of a socket.
#pragma once

#include "../config.hpp"
#include "../sink.hpp"
#include "descriptor.hpp"
#include "frame_writer.hpp"

#include <mqb/sdk/timer.hpp>

#include <deque>
#include <map>
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
    // A send that has no answer yet.
    struct waiting {
        framed_send frames;
        sdk::operation<sdk::send_call> call;
        std::size_t written = 0;         // bytes
        std::uint64_t first_frame = 0;   // its number on this connection
        std::vector<bool> is_confirmed;  // for each frame
        std::size_t confirmed = 0;
        std::map<std::size_t, std::vector<bool>> parts_confirmed;  // of frames of which only some messages are
        bool is_whole() const noexcept { return written == frames.bytes.size(); }
        bool is_over(bool confirms) const noexcept { return is_whole() && (!confirms || confirmed == frames.parts.size()); }
    };
    // What has to be completed once the lock is free.
    struct answer {
        sdk::operation<sdk::send_call> call;
        sdk::status status;
        std::string text;
    };

    void start_thread();
    void run();
    void serve(std::uint32_t events, std::vector<answer>& answers);
    bool write(waiting& one);
    void write_all(std::vector<answer>& answers);
    void read_confirmations(std::vector<answer>& answers);
    void take_confirmation(const std::uint8_t* body, std::size_t size);
    void confirm(std::uint64_t frame);
    void confirm_part(std::uint64_t frame, std::uint64_t first, std::uint64_t count);
    waiting* find(std::uint64_t frame);
    void finish_front(std::vector<answer>& answers);
    void tell(const waiting& one, const sdk::send_call& call) const;
    void finish(waiting& one, sdk::status status, std::string_view text, std::vector<answer>& answers);
    std::string why_gone(int error) const;
    void fail(std::string why, std::vector<answer>& answers);
    void watch();
    void look_after_stall();
    void stalled(bool on_time);
    static void complete(std::vector<answer>& answers);

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
    std::deque<std::unique_ptr<waiting>> waiting_;  // in the order of their sends; those written come first
    std::vector<std::unique_ptr<waiting>> spare_;
    std::uint64_t frames_ = 0;  // begun on this connection
    std::uint32_t watched_ = 0;
    bool has_greeted_back_ = false;
    std::string input_;
    std::uint64_t progress_ = 0, stall_seen_ = 0;  // counts what moves
    bool has_warned_ = false, has_timer_ = false;
    sdk::timer timer_;
};

}  // namespace mqb::memory
