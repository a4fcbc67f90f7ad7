#include "host/loading/factories.hpp"

#include "host/loading/create.hpp"
#include "host/loading/lent_consumer.hpp"
#include "host/loading/lent_publisher.hpp"
#include "host/loading/promise.hpp"

#include <utility>

namespace mqb::loading {

using boost::asio::awaitable;
using consumer_result = core::result<std::unique_ptr<core::consumer>>;
using publisher_result = core::result<std::unique_ptr<core::publisher>>;

// Everything that the coroutines below need is in the creation: they hold a count of it and nothing of the factory.
namespace {

// adapt: what was made, behind core's interface.
template <class Result, class Adapt>
awaitable<Result> made_by(std::shared_ptr<creation> c, Adapt adapt) {
    auto run = creation::run(c);
    core::result<void> made = co_await std::move(run);
    if (!made) co_return made.error();
    Result out = adapt(*c);
    if (!out) {
        auto closing = creation::close_unused(c);
        co_await std::move(closing);
    }
    co_return out;
}

awaitable<consumer_result> make_consumer_of(std::shared_ptr<creation> c, core::consumer* inner) {
    return made_by<consumer_result>(std::move(c), [inner](creation& done) { return done.consumer(inner); });
}

awaitable<publisher_result> make_publisher_of(std::shared_ptr<creation> c, core::publisher* inner, bool is_handler,
                                              bool keeps_retry_order = false) {
    return made_by<publisher_result>(std::move(c), [inner, is_handler, keeps_retry_order](creation& done) {
        return done.publisher(inner, is_handler, keeps_retry_order);
    });
}

awaitable<core::result<std::unique_ptr<store>>> make_store_of(std::shared_ptr<creation> c) {
    return made_by<core::result<std::unique_ptr<store>>>(std::move(c), [](creation& done) { return done.store(); });
}

}  // namespace

core::result<core::promises> plugin_factory::ask(std::string_view config, std::uint32_t side, core::promises inner) const {
    std::string question(reinterpret_cast<const char*>(&inner), sizeof inner);
    question += static_cast<char>(side);
    question += config;
    std::lock_guard lock{mutex_};
    if (auto at = answers_.find(question); at != answers_.end()) return at->second;
    core::result<prepared_config> prepared = prepared_config{std::string{config}, {}};
    if (services_->prepare) prepared = services_->prepare(what_.factory->schema, config);
    core::result<core::promises> answer = prepared ? ask_promises(what_, prepared->json, side, inner, services_->create_limit)
                                                   : core::result<core::promises>{prepared.error()};
    if (answer || answer.error().what != core::status::retry) answers_.emplace(std::move(question), answer);
    return answer;
}

core::result<core::promises> plugin_endpoint_factory::promise(std::string_view config, core::side which) const {
    return ask(config, which, {});
}

awaitable<consumer_result> plugin_endpoint_factory::make_consumer(core::instance_context context, std::string config) {
    return make_consumer_of(std::make_shared<creation>(what_, services_, std::move(context), std::move(config), core::consumer_side),
                            nullptr);
}

awaitable<publisher_result> plugin_endpoint_factory::make_publisher(core::instance_context context, std::string config) {
    const core::result<core::promises> promised = promise(config, core::publisher_side);
    const bool keeps_retry_order = promised && promised->has(core::promises::ordered_retry);
    return make_publisher_of(std::make_shared<creation>(what_, services_, std::move(context), std::move(config), core::publisher_side),
                             nullptr, false, keeps_retry_order);
}

core::result<core::promises> plugin_middleware_factory::promise(std::string_view config, core::side which, core::promises inner) const {
    return ask(config, which, inner);
}

awaitable<consumer_result> plugin_middleware_factory::wrap(core::instance_context context, std::string config, core::consumer& inner) {
    auto c = std::make_shared<creation>(what_, services_, std::move(context), std::move(config), core::consumer_side);
    c->lend<lent_consumer>({}, inner);
    return make_consumer_of(std::move(c), &inner);
}

awaitable<publisher_result> plugin_middleware_factory::wrap(core::instance_context context, std::string config, core::publisher& inner) {
    const bool may_overlap = context.inner.has(core::promises::concurrent | core::promises::ordered_retry);
    auto c = std::make_shared<creation>(what_, services_, std::move(context), std::move(config), core::publisher_side);
    c->lend<lent_publisher>({}, inner, may_overlap);
    return make_publisher_of(std::move(c), &inner, false);
}

awaitable<publisher_result> handler_factory::make(core::instance_context context, std::string config) {
    return make_publisher_of(std::make_shared<creation>(what_, services_, std::move(context), std::move(config), 0), nullptr, true);
}

awaitable<core::result<std::unique_ptr<store>>> store_factory::make(core::instance_context context, std::string config) {
    return make_store_of(std::make_shared<creation>(what_, services_, std::move(context), std::move(config), 0));
}

}  // namespace mqb::loading
