// connection: one publisher as the listener sees it: its bytes, cut into frames, and the confirmations that go back.
#pragma once

#include "../channel/channel.hpp"
#include "block.hpp"
#include "descriptor.hpp"
#include "frame_reader.hpp"
#include "socket_place.hpp"

#include <memory>

namespace mqb::memory {

// The numbers of the frames whose messages are all settled, on their way back to the connections that they came from. Outlives both.
// Threads: [any].
class confirmations {
public:
    struct one {
        std::uint64_t connection, frame;
    };
    void add(std::uint64_t connection, std::uint64_t frame);
    std::vector<one> take();
    std::size_t size() const;

private:
    mutable std::mutex mutex_;
    std::vector<one> all_;
};

// What all connections of a listener hold of frames that are not whole. One that would hold more is closed.
struct unfinished_frames {
    static constexpr std::uint64_t most = 512u << 20;
    std::uint64_t bytes = 0;
};

// Threads: one at a time (under the listener's lock).
class connection {
public:
    // number: never used again by this listener. `all` outlives it.
    connection(descriptor socket, std::uint64_t number, std::shared_ptr<confirmations> to, unfinished_frames& all);
    connection(const connection&) = delete;
    ~connection();

    int fd() const noexcept { return socket_.get(); }
    std::uint64_t number() const noexcept { return number_; }
    bool confirms() const noexcept { return confirms_; }
    const peer& other() const noexcept { return peer_; }

    // Reads once and puts the frames that are whole into the channel. False: it is over, `why()` says how.
    bool read(channel& to, bool must_confirm);
    const std::string& why() const noexcept { return why_; }  // empty: the publisher has closed it between two frames
    // Sends confirmations, and what was left of them. False: it is over.
    bool confirm(const std::vector<std::uint64_t>& frames);
    bool flush();
    bool has_output() const noexcept { return sent_ < output_.size(); }
    // Sends which messages are settled of the frames of which not all are. For the end.
    bool confirm_parts();
    // Takes back from the channel what no reader has: its publisher will send it again.
    void withdraw(channel& from);
    std::uint64_t left_out() const noexcept { return reader_.left_out(); }
    bool is_watched_for_output = false;  // by the listener

private:
    class frame_settlement;
    bool make_room();
    void charge(std::size_t bytes) noexcept;
    block* take_block(std::size_t capacity);
    bool take_frames(channel& to, bool must_confirm);
    bool take_frame(channel& to, const std::uint8_t* body, std::uint32_t size, bool must_confirm);
    bool fail(std::string what);

    descriptor socket_;
    const std::uint64_t number_;
    const peer peer_;
    const std::shared_ptr<confirmations> confirmations_;
    unfinished_frames& unfinished_;
    std::size_t charged_ = 0;  // of those
    frame_reader reader_;
    std::string why_;

    block* block_ = nullptr;
    std::size_t begin_ = 0, end_ = 0;  // what is read and not yet cut
    std::size_t next_capacity_;
    std::vector<block*> spare_;

    bool confirms_ = false;
    std::uint64_t frames_ = 0;
    std::vector<std::weak_ptr<frame_settlement>> open_frames_;
    std::size_t look_at_ = 64;  // how many of them before those that are over are forgotten
    std::string output_;
    std::size_t sent_ = 0;
};

}  // namespace mqb::memory
