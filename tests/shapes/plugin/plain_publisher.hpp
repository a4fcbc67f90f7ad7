// plain_publisher: the shapes whose client blocks: plain (a batch and its confirm) and one_at_a_time (a message and its confirm).
#pragma once

#include "client.hpp"
#include "frames.hpp"

namespace mqb::shapes {

// Threads: everything on the thread of the base; wake is [any].
class plain_publisher : public sdk::blocking_publisher {
public:
    plain_publisher(const sdk::context& made, const config& with) : blocking_publisher(made), config_(with) {}
    static sdk::promises promise(const config& with);

    void connect();
    sdk::status send(sdk::send_call& call);
    sdk::status control(sdk::control_call& call);
    void disconnect() { client_.close(); }
    void wake() noexcept { client_.wake(); }

private:
    std::function<bool()> stops() {
        return [this] { return should_stop(); };
    }
    sdk::status send_some(const sdk::send_call& call, std::uint32_t first, std::uint32_t count);

    const config config_;
    client client_;
};

}  // namespace mqb::shapes
