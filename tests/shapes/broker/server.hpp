// server: the sessions of the broker, their calls, and the loop that serves them.
#pragma once

#include "session.hpp"

#include <poll.h>
#include <memory>

namespace mqb::shapes::broker {

// Threads: one.
class server {
public:
    // Listens on a Unix socket at this path.
    explicit server(const std::string& path);
    ~server();
    server(const server&) = delete;

    // Serves until `until` (a descriptor) can be read or has ended.
    void run_until(int until);

private:
    void accept_one();
    void read_from(session& s);
    void write_to(session& s);
    void serve_those_who_wait();
    queue& queue_named(const std::string& name);
    void later(std::chrono::nanoseconds delay, const session& s, std::function<void(session&)> what);

    // calls.cpp
    void handle(session& s, std::string_view frame);
    void hello(session& s, wire::reader& in);
    void receive(session& s, wire::reader& in);
    bool give(session& s, const session::receive& asked);
    void settle(session& s, std::string_view frame);
    void carry_out_settle(session& s, wire::reader& in, fault broken);
    void send(session& s, std::string_view frame);
    void finish_send(session& s, std::string_view frame, fault broken);
    void confirm(session& s, std::string answer);
    void give_confirms(session& s);
    void cancel(session& s, std::uint64_t tag);
    void end_lanes(queue& of, std::uint64_t token);
    void revoke(queue& of, std::uint32_t lanes, std::uint32_t deadline_ms);

    // admin.cpp
    std::string obey(session& who, std::string_view command);

    const std::string path_;
    int listening_ = -1;
    timers timers_;
    std::map<std::string, std::unique_ptr<queue>> queues_;
    std::map<std::uint32_t, std::unique_ptr<session>> sessions_;  // gone before the queues
    std::uint32_t next_session_ = 1;
    bool something_ready_ = false;
};

}  // namespace mqb::shapes::broker
