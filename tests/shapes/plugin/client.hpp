// client: a connection to the broker that blocks, and that may be used on one thread only, as some of the real ones.
#pragma once

#include "config.hpp"

#include <chrono>
#include <functional>
#include <thread>

namespace mqb::shapes {

// Threads: that which connected; wake is [any]. Throws sdk::failure disconnected when the connection is gone.
class client {
public:
    client();
    client(const client&) = delete;
    ~client();

    // `stops` is asked after each wake: true asks the broker to end the call that is waited for.
    void connect(const config& with, const std::function<bool()>& stops);
    void close();
    bool is_open() const noexcept { return fd_ >= 0; }

    std::uint64_t next_tag() noexcept { return ++tag_; }
    // Sends a frame and waits for the answer with this tag; the answer is valid until the next call.
    wire::reader call(const std::string& frame, std::uint64_t tag, const std::function<bool()>& stops);
    void tell(const std::string& frame);
    // Waits until the broker has something new, somebody calls wake, or the time is over.
    void wait(std::chrono::milliseconds most);
    void wake() noexcept;

private:
    [[noreturn]] void lose(const char* why);
    void check_thread() const;
    bool poll_once(int ms);  // whether bytes came
    void take_wakes();

    int fd_ = -1, wake_ = -1;
    std::uint64_t tag_ = 0;
    bool is_new_ = false;    // the broker has told of something
    bool is_woken_ = false;  // since the last wait
    wire::splitter incoming_;
    std::thread::id thread_;
};

}  // namespace mqb::shapes
