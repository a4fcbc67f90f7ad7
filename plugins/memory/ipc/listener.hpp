// listener: the publishers that are connected to one socket, served in turn. Whoever wants messages reads them from the sockets
// himself, without a change of threads; only when there are none a thread waits for them.
#pragma once

#include "connection.hpp"

#include <mqb/sdk/host.hpp>

#include <atomic>
#include <thread>
#include <unordered_map>

namespace mqb::memory {

// Threads: [any]. The sockets are under one lock, held while one turn of reading lasts.
class listener {
public:
    // Listens at the path from here on, and puts what comes into the channel. must_confirm: publishers that do not ask for
    // confirmations are sent away. Throws what listening_socket throws.
    listener(const sdk::host_ref& host, const std::string& path, std::shared_ptr<channel> to, bool must_confirm);
    listener(const listener&) = delete;
    ~listener();

    // Reads once from those publishers who have sent something, as long as the channel has room.
    void pump();
    // Waits a moment for something to read. False: there is nothing.
    bool wait();
    // Lets the thread read when something comes.
    void arm();
    // Sends the confirmations of what was settled; how many frames those are.
    void confirm();
    std::size_t unconfirmed() const { return confirmations_->size(); }

private:
    void run();
    void read_all();
    void accept_all();
    void accept_one(descriptor socket);
    void serve(connection& one, std::uint32_t events);
    void watch(connection& one);
    void close(connection& one);
    void confirm_all();
    bool waits_for_anything();

    const sdk::host_ref host_;
    const std::string path_;
    const std::shared_ptr<channel> to_;
    const bool must_confirm_;
    const std::shared_ptr<confirmations> confirmations_ = std::make_shared<confirmations>();
    unfinished_frames unfinished_;  // outlives the connections
    listening_socket socket_;
    descriptor inner_, outer_, stop_;  // the sockets; the thread: inner_, once, and stop_

    std::mutex mutex_;
    std::unordered_map<std::uint64_t, std::unique_ptr<connection>> connections_;  // by number; 0 is the listening socket
    std::uint64_t last_number_ = 0;
    std::atomic<std::uint64_t> accepts_again_at_{0};  // ns; 0: it does. After an accept that failed for want of descriptors
    bool has_left_out_ = false;
    std::thread thread_;
};

}  // namespace mqb::memory
