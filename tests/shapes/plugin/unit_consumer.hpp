// unit_consumer: the shapes whose client blocks: batch (one unit of work on one thread) and lease (which is extended in time).
#pragma once

#include "client.hpp"
#include "frames.hpp"

#include <set>

namespace mqb::shapes {

// Threads: everything on the thread of the base; wake is [any].
class unit_consumer : public sdk::blocking_consumer {
public:
    unit_consumer(const sdk::context& made, const config& with);
    static sdk::promises promise(const config& with);

    void connect();
    sdk::status receive(sdk::receive_call& call, std::chrono::milliseconds slice);
    sdk::status settle(sdk::settle_call& call);
    void idle(std::uint32_t unsettled);
    void free_batch(void* batch);
    sdk::status control(sdk::control_call& call);
    void disconnect() { client_.close(); }
    void wake() noexcept { client_.wake(); }

private:
    std::function<bool()> stops() {
        return [this] { return should_stop(); };
    }
    const config config_;
    note_pool batches_;
    std::set<void*> given_;
    client client_;
};

}  // namespace mqb::shapes
