// link: a connection to the broker with a thread that writes, reads and hands on answers: a client with callbacks.
#pragma once

#include "../broker/wire.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <thread>

namespace mqb::shapes {

// Threads: open and close one at a time; post and cancel [any]; answers and notices come on the link's own thread, without a lock.
// States: closed -> open -> lost -> closed -> …
class link {
public:
    // A call that waits for its answer. Exactly one of the two comes.
    struct request {
        virtual ~request() = default;
        virtual void answered(wire::reader& in) = 0;
        virtual void lost() = 0;
    };
    struct listener {
        virtual void noticed(wire::reader& in) = 0;

    protected:
        ~listener() = default;
    };

    explicit link(listener& to) : to_(to) {}
    link(const link&) = delete;
    ~link() { close(); }

    // Starts the thread, which connects and says hello. `waits` gets the answer.
    void open(std::string path, std::string hello, std::uint64_t tag, std::unique_ptr<request> waits);
    void close();

    // False: there is no connection, and nothing was made. Otherwise `make()` is the request that waits for the answer.
    template <class Make>
    bool post(std::string_view frame, std::uint64_t tag, Make make) {
        {
            std::lock_guard lock(mutex_);
            if (!is_open_) return false;
            waiting_[tag] = make();
            to_write_ += frame;
        }
        wake();
        return true;
    }
    // Without an answer.
    bool post(std::string_view frame);
    // Asks the broker to end a call; one that opens is ended here.
    void cancel(std::uint64_t tag);

private:
    void run(const std::string& path);
    void talk(int fd);
    void write_some(int fd);
    void read_some(int fd);
    void hand_on(std::string_view frame);
    void lose_all();
    void wake();

    listener& to_;
    std::mutex mutex_;
    bool is_open_ = false, stops_ = false;
    bool says_hello_ = false;  // the first answer has not come
    std::uint64_t opens_ = 0;  // the tag of the hello
    std::string to_write_;
    std::map<std::uint64_t, std::unique_ptr<request>> waiting_;
    wire::splitter incoming_;
    bool is_broken_ = false;  // on the thread
    int wake_ = -1;
    std::thread thread_;
};

}  // namespace mqb::shapes
