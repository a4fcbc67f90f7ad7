// plugin_consumer: the C table of a plugin's consumer behind core's interface, for an endpoint or a middleware.
#pragma once

#include "core/consumer.hpp"
#include "host/loading/instance.hpp"

#include <mqb/consumer.h>

#include <memory>

namespace mqb::loading {

// One route, one call at a time. The table is complete: its required slots are set (create.hpp).
class plugin_consumer final : public core::consumer {
public:
    // inner: of a middleware, which it outlives.
    plugin_consumer(std::shared_ptr<plugin_instance> instance, mqb_consumer* handle, const mqb_consumer_table& table,
                    core::consumer* inner = nullptr);
    ~plugin_consumer() override;
    plugin_consumer(const plugin_consumer&) = delete;
    plugin_consumer& operator=(const plugin_consumer&) = delete;

    core::status connect(core::call& c) override;
    core::status receive(core::receive_call& c) override;
    core::status settle(core::settle_call& c) override;
    void free_batch(void* batch) override;
    void lanes_done(std::uint64_t token) override;
    void lanes_ending(std::span<const std::uint64_t> lanes, std::uint64_t deadline_ns) override;
    core::status control(core::control_call& c) override;
    void cancel(core::call& c) override;
    core::status close(core::call& c) override;
    void listen(core::event_sink* sink) override;

private:
    static core::status finish_receive(operation& op, mqb_status answer) noexcept;
    static core::status finish_settle(operation& op, mqb_status answer) noexcept;
    const char* fault_in(const mqb_receive& r, mqb_status answer) const noexcept;

    std::shared_ptr<plugin_instance> instance_;
    gate& gate_;
    operation_pool& operations_;
    mqb_consumer* handle_;
    mqb_consumer_table table_;
    core::consumer* inner_;
};

}  // namespace mqb::loading
