// create: makes one instance through a factory's `create`, on a thread that may be left to itself.
#pragma once

#include "core/publisher.hpp"
#include "core/registry.hpp"
#include "host/loading/instance.hpp"
#include "host/loading/library.hpp"
#include "host/loading/services.hpp"
#include "host/loading/store.hpp"

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <string>

namespace mqb::loading {

// One instance that is being made. Shared with the thread that makes it, which may never come back.
class creation : public std::enable_shared_from_this<creation> {
public:
    // side: bits of core::side, 0 for handlers and stores.
    creation(offered what, std::shared_ptr<plugin_services> services, core::instance_context context, std::string config,
             std::uint32_t side);

    // Lends it to the instance, which must be made before what it lends ends. Before run.
    template <class Lent, class Inner, class... More>
    void lend(std::string path, Inner& inner, More... more) {
        instance_->lend(std::move(path), std::make_unique<Lent>(instance_->door(), inner, more...));
    }

    // Makes what the configuration nests, and calls create. A failure names what is wrong; nothing is left of it.
    static boost::asio::awaitable<core::result<void>> run(std::shared_ptr<creation> self);

    // After success: the adapter around what was made.
    [[nodiscard]] core::result<std::unique_ptr<core::consumer>> consumer(core::consumer* inner = nullptr);
    [[nodiscard]] core::result<std::unique_ptr<core::publisher>> publisher(core::publisher* inner = nullptr, bool is_handler = false,
                                                                           bool keeps_retry_order = false);
    [[nodiscard]] core::result<std::unique_ptr<loading::store>> store();
    // After a failure of these.
    static boost::asio::awaitable<void> close_unused(std::shared_ptr<creation> self);

private:
    struct create_face {
        mqb_create base;
        creation* self;
    };
    static boost::asio::awaitable<core::result<void>> try_to_run(std::shared_ptr<creation> self);
    static boost::asio::awaitable<core::result<void>> nest(std::shared_ptr<creation> self);
    [[nodiscard]] core::result<void> prepare();
    void call_create() noexcept;
    // Nothing was made, or something that cannot be used.
    void give_up(bool has_made);
    [[nodiscard]] core::failure failed(core::status what, std::string_view why) const;
    static void on_explain(mqb_call* call, std::uint32_t entry, mqb_text text);

    offered what_;
    std::shared_ptr<plugin_services> services_;
    core::instance_context context_;
    std::string config_;
    std::uint32_t side_;
    std::shared_ptr<plugin_instance> instance_;
    std::vector<mqb_child> children_;
    std::vector<std::unique_ptr<nested_part>> unused_;  // of an instance that was given up
    create_face face_{};

    std::mutex mutex_;  // over the text: explain may come from any thread
    std::string text_;
    mqb_status answer_ = MQB_PENDING;
};

}  // namespace mqb::loading
