// plugin_publisher: the C table of a plugin's publisher behind core's interface, for an endpoint, a middleware or a handler.
#pragma once

#include "core/publisher.hpp"
#include "host/loading/instance.hpp"

#include <mqb/publisher.h>

#include <memory>

namespace mqb::loading {

// One route, one call at a time. The table is complete: its required slots are set (create.hpp).
class plugin_publisher final : public core::publisher {
public:
    // inner: of a middleware, which it outlives. A handler may give messages back. keeps_retry_order: of a leaf that promises
    // it.
    plugin_publisher(std::shared_ptr<plugin_instance> instance, mqb_publisher* handle, const mqb_publisher_table& table,
                     core::publisher* inner = nullptr, bool is_handler = false, bool keeps_retry_order = false);
    ~plugin_publisher() override;
    plugin_publisher(const plugin_publisher&) = delete;
    plugin_publisher& operator=(const plugin_publisher&) = delete;

    core::status connect(core::call& c) override;
    core::status send(core::send_call& c) override;
    core::status control(core::control_call& c) override;
    void cancel(core::call& c) override;
    core::status close(core::call& c) override;
    void listen(core::event_sink* sink) override;

private:
    static void on_answer(mqb_send* send, std::uint32_t index, const mqb_message* response);
    static void take_answer(operation& op, std::uint32_t index, const mqb_message* response);
    static core::status finish_send(operation& op, mqb_status answer) noexcept;

    std::shared_ptr<plugin_instance> instance_;
    gate& gate_;
    operation_pool& operations_;
    mqb_publisher* handle_;
    mqb_publisher_table table_;
    core::publisher* inner_;
    std::int32_t highest_result_;
};

}  // namespace mqb::loading
