// chain_links: what the end of a route has to reach inside one chain: the connections of nested endpoints, and whoever pauses.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace mqb::core {

// One of them.
class nested_link {
public:
    // No more tries to connect; what waits for a connection is answered with `cancelled`, by mail.
    virtual void stop() = 0;
    [[nodiscard]] virtual bool is_at_rest() const = 0;
    [[nodiscard]] virtual bool is_connected() const = 0;
    [[nodiscard]] virtual std::uint64_t next_try_ns() const = 0;  // as in connection

protected:
    ~nested_link() = default;
};

// Something in a chain that waits before it tries again.
class pausing {
public:
    // Pauses end now, and there are no more: what waits goes back to the caller with the outcome that it has.
    virtual void end_pauses() = 0;

protected:
    ~pausing() = default;
};

// All that live. Belongs to whoever runs the chain, a route or one of its workers, and outlives the chain. Like the links used in
// one coroutine only: a worker has its own. At the end: stop, deliver mail until is_at_rest, close the chain.
class chain_links {
public:
    void add(nested_link& link) {
        all_.push_back(&link);
        if (stopped_) link.stop();
    }
    void remove(nested_link& link) { std::erase(all_, &link); }

    void add(pausing& who) {
        pausing_.push_back(&who);
        if (hurries_) who.end_pauses();
    }
    void remove(pausing& who) { std::erase(pausing_, &who); }
    // Also of those that come later. A shutdown does not wait for a pause.
    void end_pauses() {
        hurries_ = true;
        for (pausing* who : pausing_) who->end_pauses();
    }

    // Also those that come later.
    void stop() {
        stopped_ = true;
        for (nested_link* link : all_) link->stop();
    }
    [[nodiscard]] bool is_at_rest() const { return std::ranges::all_of(all_, &nested_link::is_at_rest); }
    [[nodiscard]] bool are_connected() const { return std::ranges::all_of(all_, &nested_link::is_connected); }
    // The first of them.
    [[nodiscard]] std::uint64_t next_try_ns() const {
        std::uint64_t out = 0;
        for (const nested_link* link : all_)
            if (const std::uint64_t at = link->next_try_ns(); at != 0 && (out == 0 || at < out)) out = at;
        return out;
    }

private:
    std::vector<nested_link*> all_;
    std::vector<pausing*> pausing_;
    bool stopped_ = false;
    bool hurries_ = false;
};

}  // namespace mqb::core
