// factories: core's endpoint and middleware factories over the factory tables of a plugin.
#pragma once

#include "core/registry.hpp"
#include "host/loading/library.hpp"
#include "host/loading/services.hpp"
#include "host/loading/store.hpp"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace mqb::loading {

// Thread-safe, like everything below: the tables are pure or [any], and each make has its own state.
class plugin_factory {
public:
    plugin_factory(offered what, std::shared_ptr<plugin_services> services) : what_(std::move(what)), services_(std::move(services)) {}
    [[nodiscard]] const library& from() const noexcept { return *what_.from; }
    [[nodiscard]] const offer& about() const noexcept { return what_.factory->what; }

protected:
    // Asks the plugin once for each configuration, so that what was checked is what runs.
    [[nodiscard]] core::result<core::promises> ask(std::string_view config, std::uint32_t side, core::promises inner) const;

    offered what_;
    std::shared_ptr<plugin_services> services_;

private:
    mutable std::mutex mutex_;
    mutable std::map<std::string, core::result<core::promises>, std::less<>> answers_;
};

class plugin_endpoint_factory final : public core::endpoint_factory, public plugin_factory {
public:
    using plugin_factory::plugin_factory;
    [[nodiscard]] std::uint32_t sides() const noexcept override { return what_.factory->what.sides; }
    [[nodiscard]] std::string_view schema() const noexcept override { return what_.factory->schema; }
    [[nodiscard]] core::result<core::promises> promise(std::string_view config, core::side which) const override;
    boost::asio::awaitable<core::result<std::unique_ptr<core::consumer>>> make_consumer(core::instance_context context,
                                                                                        std::string config) override;
    boost::asio::awaitable<core::result<std::unique_ptr<core::publisher>>> make_publisher(core::instance_context context,
                                                                                          std::string config) override;
};

class plugin_middleware_factory final : public core::middleware_factory, public plugin_factory {
public:
    using plugin_factory::plugin_factory;
    [[nodiscard]] std::uint32_t sides() const noexcept override { return what_.factory->what.sides; }
    [[nodiscard]] std::string_view schema() const noexcept override { return what_.factory->schema; }
    [[nodiscard]] core::result<core::promises> promise(std::string_view config, core::side which, core::promises inner) const override;
    boost::asio::awaitable<core::result<std::unique_ptr<core::consumer>>> wrap(core::instance_context context, std::string config,
                                                                               core::consumer& inner) override;
    boost::asio::awaitable<core::result<std::unique_ptr<core::publisher>>> wrap(core::instance_context context, std::string config,
                                                                                core::publisher& inner) override;
};

// A handler is a publisher whose answers are the messages to publish.
class handler_factory final : public plugin_factory {
public:
    using plugin_factory::plugin_factory;
    [[nodiscard]] std::string_view schema() const noexcept { return what_.factory->schema; }
    [[nodiscard]] core::result<core::promises> promise(std::string_view config) const { return ask(config, 0, {}); }
    boost::asio::awaitable<core::result<std::unique_ptr<core::publisher>>> make(core::instance_context context, std::string config);
};

class store_factory final : public plugin_factory {
public:
    using plugin_factory::plugin_factory;
    [[nodiscard]] std::string_view schema() const noexcept { return what_.factory->schema; }
    boost::asio::awaitable<core::result<std::unique_ptr<store>>> make(core::instance_context context, std::string config);
};

}  // namespace mqb::loading
