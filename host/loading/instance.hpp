// plugin_instance: everything on the host's side of one thing that a plugin made: its gate, host object, timers, operations and what
// was lent to it. The plugin may point into it until its free has returned, and a careless one longer: it is kept a while, or for
// ever.
#pragma once

#include "host/loading/gate.hpp"
#include "host/loading/host_object.hpp"
#include "host/loading/host_timers.hpp"
#include "host/loading/lent_children.hpp"
#include "host/loading/library.hpp"
#include "host/loading/nested_parts.hpp"
#include "host/loading/operation.hpp"
#include "host/loading/services.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace mqb::loading {

class plugin_instance : public std::enable_shared_from_this<plugin_instance> {
public:
    plugin_instance(std::shared_ptr<const library> from, const call_place& place, core::instance_context& context, bool checking);

    gate& door() noexcept { return gate_; }
    host_object& host() noexcept { return host_; }
    operation_pool& operations() noexcept { return operations_; }
    // What is made for it alone, and lent to it too.
    nested_parts& nested() noexcept { return nested_; }
    // Lays the array out anew while checking; otherwise passes it on.
    template <class T>
    [[nodiscard]] mqb_list lay(operation& op, const core::list<T>& from);
    // For a call whose outcomes were laid anew last: copies them back.
    void collect(operation& op, const mqb_list& outcomes) noexcept;

    [[nodiscard]] bool is_checking() const noexcept { return checking_; }

    // Before create.
    void lend(std::string path, std::unique_ptr<lent> what);
    [[nodiscard]] const std::vector<lent_child>& children() const noexcept { return children_.all(); }

    // Ends timers and inner operations, delivers their completions, then runs `free_handle` on a thread of its own, and answers c:
    // pending always. Once.
    core::status close(core::call& c, std::function<void()> free_handle);
    // The adapter ends: nothing reaches the route any more. What was not freed before is abandoned, and this is kept for ever.
    void let_go() noexcept;
    // The same after a create that failed: there is nothing to free.
    void let_go_unmade() noexcept {
        is_freed_ = true;
        let_go();
    }

private:
    struct closed_mail : core::mail {
        plugin_instance* self = nullptr;
    };
    void free_if_idle();
    [[nodiscard]] bool is_idle() const;
    static void on_closed(core::mail& m) noexcept;

    std::shared_ptr<const library> library_;
    gate gate_;
    host_timers timers_;
    host_object host_;
    nested_parts nested_;
    lent_children children_;
    operation_pool operations_;
    bool checking_;

    core::call* closing_ = nullptr;
    std::function<void()> free_handle_;
    bool is_freeing_ = false;
    bool is_freed_ = false;
    bool is_kept_ = false;  // its free could not be called: what was made stays for ever
    closed_mail closed_;
};

template <class T>
mqb_list plugin_instance::lay(operation& op, const core::list<T>& from) {
    const mqb_list plain{from.first, from.count, from.stride, from.size};
    if (!checking_) [[likely]]
        return plain;
    if (!op.relaid) op.relaid = std::make_unique<relaid_arrays>();
    return op.relaid->lay(plain);
}

}  // namespace mqb::loading
