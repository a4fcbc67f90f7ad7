// plugin_store: the C table of a plugin's store behind the interface of store.hpp.
#pragma once

#include "host/loading/instance.hpp"
#include "host/loading/store.hpp"

#include <mqb/store.h>

#include <memory>

namespace mqb::loading {

// One owner, one call at a time. The table is complete: its required slots are set (create.hpp).
class plugin_store final : public store {
public:
    plugin_store(std::shared_ptr<plugin_instance> instance, mqb_store* handle, const mqb_store_table& table);
    ~plugin_store() override;
    plugin_store(const plugin_store&) = delete;
    plugin_store& operator=(const plugin_store&) = delete;

    core::status connect(core::call& c) override;
    core::status apply(store_call& c) override;
    void cancel(core::call& c) override;
    core::status close(core::call& c) override;
    void listen(core::event_sink* sink) override;

private:
    static void on_found(mqb_apply* apply, std::uint32_t index, mqb_text key, const mqb_buffer* value, std::uint64_t version,
                         std::uint64_t expires_in_ns);
    static void take_found(operation& op, std::uint32_t index, mqb_text key, const mqb_buffer* value, std::uint64_t version,
                           std::uint64_t expires_in_ns);
    static core::status finish_apply(operation& op, mqb_status answer) noexcept;

    std::shared_ptr<plugin_instance> instance_;
    mqb_store* handle_;
    mqb_store_table table_;
};

}  // namespace mqb::loading
