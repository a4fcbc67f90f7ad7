#include "core/route_chain.hpp"

#include <atomic>
#include <chrono>
#include <span>
#include <utility>

namespace mqb::core {

namespace {

failure no_such(std::string_view kind, const std::string& type, const std::string& path) {
    return {status::bad_config, path + ": no plugin offers the " + std::string{kind} + " \"" + type + "\""};
}

failure no_such_side(const std::string& type, const std::string& path, side which) {
    return {status::bad_config, path + ": \"" + type + "\" cannot be used as an " + (which == consumer_side ? "input" : "output")};
}

failure at(const std::string& path, failure f) {
    f.text = path + ": " + f.text;
    return f;
}

// Middlewares in the order in which a message passes them on an input: the last of the list is next to the leaf.
auto innermost_first(const endpoint_definition& e) { return std::pair{e.middlewares.rbegin(), e.middlewares.rend()}; }

struct promised_chain {
    promises leaf;
    promises top;
};

result<promised_chain> promise_of_chain(const endpoint_definition& e, side which, const CustomEndpointFactory& endpoints,
                                        const CustomMiddlewareFactory& middlewares) {
    const auto factory = endpoints.find(e.type);
    if (!factory) return no_such("endpoint", e.type, e.path);
    if (!(factory->sides() & which)) return no_such_side(e.type, e.path, which);
    const auto leaf = factory->promise(e.config, which);
    if (!leaf) return at(e.path, leaf.error());
    promises now = *leaf;
    std::uint64_t holds_messages = 0;
    std::uint64_t holds_batches = 0;
    auto [next, last] = innermost_first(e);
    for (; next != last; ++next) {
        const auto middleware = middlewares.find(next->type);
        if (!middleware) return no_such("middleware", next->type, next->path);
        if (!(middleware->sides() & which)) return no_such_side(next->type, next->path, which);
        now.holds_messages = now.holds_batches = 0;
        const auto changed = middleware->promise(next->config, which, now);
        if (!changed) return at(next->path, changed.error());
        now = *changed;
        holds_messages += now.holds_messages;
        holds_batches += now.holds_batches;
    }
    now.holds_messages = static_cast<std::uint32_t>(std::min<std::uint64_t>(holds_messages, UINT32_MAX));
    now.holds_batches = static_cast<std::uint32_t>(std::min<std::uint64_t>(holds_batches, UINT32_MAX));
    auto too_much = [](std::uint64_t holds, std::uint32_t limit) { return limit != 0 && holds >= limit; };
    if (which == consumer_side &&
        (too_much(holds_messages, leaf->max_unsettled_messages) || too_much(holds_batches, leaf->max_unsettled_batches)))
        return failure{status::bad_config, e.path + ": its middlewares hold more unsettled messages than \"" + e.type + "\" gives out"};
    return promised_chain{*leaf, now};
}

instance_context context_for(const chain_parts& parts, const std::string& path, const std::string& type, const promises& inner = {}) {
    static std::atomic<std::uint64_t> instances{0};
    const auto& d = parts.definition;
    return {parts.box,
            parts.clock,
            parts.log,
            d.name,
            path,
            d.name + "." + path + "." + type + "#" + std::to_string(++instances),
            {},
            d.drain,
            1,
            d.batch_size,
            d.max_in_flight_bytes,
            inner};
}

std::uint64_t nanoseconds(std::chrono::milliseconds time) {
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(time).count());
}

}  // namespace

result<route_promises> promises_of(const route_definition& definition, const CustomEndpointFactory& endpoints,
                                   const CustomMiddlewareFactory& middlewares) {
    const auto input = promise_of_chain(definition.input, consumer_side, endpoints, middlewares);
    if (!input) return input.error();
    const auto output = promise_of_chain(definition.output, publisher_side, endpoints, middlewares);
    if (!output) return output.error();
    return route_promises{input->top, output->top};
}

boost::asio::awaitable<result<input_chain>> make_input(chain_parts parts) {
    const endpoint_definition& e = parts.definition.input;
    const auto promised = promise_of_chain(e, consumer_side, parts.endpoints, parts.middlewares);
    if (!promised) co_return promised.error();
    input_chain chain;
    chain.leaf = promised->leaf;
    const auto factory = parts.endpoints.find(e.type);
    auto making = factory->make_consumer(context_for(parts, e.path, e.type), e.config);
    auto leaf = co_await std::move(making);
    if (!leaf) co_return at(e.path, leaf.error());
    auto link =
        std::make_unique<reconnecting_consumer>(std::move(*leaf), parts.box, parts.clock, nanoseconds(parts.definition.reconnect_interval));
    chain.link = link.get();
    chain.book = std::make_unique<ledger>(std::move(link), chain.leaf, parts.counters, parts.box, parts.clock);
    promises inner = chain.leaf;
    auto [next, last] = innermost_first(e);
    for (; next != last; ++next) {
        const auto middleware = parts.middlewares.find(next->type);
        auto wrapping = middleware->wrap(context_for(parts, next->path, next->type, inner), next->config, chain.top());
        auto made = co_await std::move(wrapping);
        if (!made) co_return at(next->path, made.error());
        chain.middlewares.push_back(std::move(*made));
        if (const auto changed = middleware->promise(next->config, consumer_side, inner)) inner = *changed;
    }
    co_return chain;
}

boost::asio::awaitable<result<output_chain>> make_output(chain_parts parts) {
    const endpoint_definition& e = parts.definition.output;
    const auto promised = promise_of_chain(e, publisher_side, parts.endpoints, parts.middlewares);
    if (!promised) co_return promised.error();
    output_chain chain;
    chain.top_promises = promised->top;
    const auto factory = parts.endpoints.find(e.type);
    auto making = factory->make_publisher(context_for(parts, e.path, e.type), e.config);
    auto leaf = co_await std::move(making);
    if (!leaf) co_return at(e.path, leaf.error());
    chain.link = std::make_unique<reconnecting_publisher>(std::move(*leaf), parts.box, parts.clock,
                                                          nanoseconds(parts.definition.reconnect_interval));
    promises inner = promised->leaf;
    auto [next, last] = innermost_first(e);
    for (; next != last; ++next) {
        const auto middleware = parts.middlewares.find(next->type);
        auto wrapping = middleware->wrap(context_for(parts, next->path, next->type, inner), next->config, chain.top());
        auto made = co_await std::move(wrapping);
        if (!made) co_return at(next->path, made.error());
        chain.middlewares.push_back(std::move(*made));
        if (const auto changed = middleware->promise(next->config, publisher_side, inner)) inner = *changed;
    }
    co_return chain;
}

}  // namespace mqb::core
