#include "core/route_chain.hpp"

#include "core/nested_chain.hpp"

#include <algorithm>
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

// A message passes the list from the last entry to the first: on an input the last one is next to the leaf, on an output the first.
std::vector<const middleware_definition*> innermost_first(const endpoint_definition& e, side which) {
    std::vector<const middleware_definition*> out;
    for (const middleware_definition& m : e.middlewares) out.push_back(&m);
    if (which == consumer_side) std::ranges::reverse(out);
    return out;
}

instance_context context_for(const chain_parts& parts, const std::string& path, const std::string& type,
                             const std::vector<nested_definition>& nested, const promises& inner = {}) {
    static std::atomic<std::uint64_t> instances{0};
    const auto& d = parts.definition;
    instance_context out{parts.box, parts.clock, parts.log, d.name, path, d.name + "." + path + "." + type + "#", {}};
    out.instance += std::to_string(++instances);
    out.drain = d.drain;
    out.concurrency = d.concurrency;
    out.batch_messages = d.batch_size;
    out.byte_budget = d.max_in_flight_bytes;
    out.inner = inner;
    out.nested = nested_of(parts, path, nested);
    // What workers have of their own has a folder of its own too.
    if (parts.directories && *parts.directories)
        out.directory = (*parts.directories)(d.name, parts.worker == 0 ? path : path + '#' + std::to_string(parts.worker));
    out.links = parts.links;
    return out;
}

// The ledger takes settlements in any order, presents again what is nacked, and knows what to do with what is rejected.
promises promise_above_ledger(promises leaf) {
    leaf.unit = settle_unit::message;
    if (leaf.has(promises::acknowledges)) leaf.dispositions |= bit(disposition::ack);
    leaf.dispositions |= bit(disposition::nack) | bit(disposition::reject);
    return leaf;
}

std::uint64_t nanoseconds(std::chrono::milliseconds time) {
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(time).count());
}

// Worked out when somebody asks.
class defined_promises final : public nested_promises {
public:
    defined_promises(const endpoint_definition& e, const CustomEndpointFactory& endpoints, const CustomMiddlewareFactory& middlewares)
        : of_(e), endpoints_(endpoints), middlewares_(middlewares) {}
    std::vector<std::string> all() const override {
        std::vector<std::string> out;
        for (const nested_definition& n : of_.nested) out.push_back(n.where);
        return out;
    }
    result<promises> promise(std::string_view where, side which) const override {
        return promise_of_nested(of_.nested, of_.path, where, which, endpoints_, middlewares_);
    }

private:
    const endpoint_definition& of_;
    const CustomEndpointFactory& endpoints_;
    const CustomMiddlewareFactory& middlewares_;
};

// Not of the middlewares over it.
result<promises> promise_of_leaf(const endpoint_factory& factory, const endpoint_definition& e, side which,
                                 const CustomEndpointFactory& endpoints, const CustomMiddlewareFactory& middlewares) {
    return factory.promise_over(e.config, which, defined_promises{e, endpoints, middlewares});
}

// Over and over: the next middleware sees the one before.
template <class Stage>
boost::asio::awaitable<result<promises>> wrap(chain_parts parts, const endpoint_definition& e, side which, promises inner, Stage& base,
                                              std::vector<std::unique_ptr<Stage>>& into) {
    Stage* below = &base;
    for (const middleware_definition* next : innermost_first(e, which)) {
        const auto middleware = parts.middlewares.find(next->type);
        if (!middleware) co_return no_such("middleware", next->type, next->path);
        if (which == consumer_side && below != &base && middleware->stands_next_to_source())
            co_return failure{status::bad_config, next->path + ": \"" + next->type + "\" has to stand next to the source"};
        if (middleware->injects_faults(next->config) && !parts.definition.allows_faults)
            co_return failure{status::bad_config, next->path + ": \"" + next->type + "\" injects faults, which the route does not allow"};
        auto wrapping = middleware->wrap(context_for(parts, next->path, next->type, next->nested, inner), next->config, *below);
        auto made = co_await std::move(wrapping);
        if (!made) co_return at(next->path, made.error());
        into.push_back(std::move(*made));
        below = into.back().get();
        const auto changed = middleware->promise(next->config, which, inner);
        if (!changed) co_return at(next->path, changed.error());
        inner = *changed;
    }
    co_return inner;
}

}  // namespace

result<promises> promise_of_nested(const std::vector<nested_definition>& all, const std::string& path, std::string_view where, side which,
                                   const CustomEndpointFactory& endpoints, const CustomMiddlewareFactory& middlewares) {
    const auto found = std::ranges::find(all, where, &nested_definition::where);
    if (found == all.end()) return failure{status::bad_config, path + ": has no endpoint at " + std::string{where}};
    const auto promised = promise_of_chain(found->endpoint, which, endpoints, middlewares);
    if (!promised) return promised.error();
    promises out = promised->top;
    if (which == consumer_side) {  // there is no ledger over it
        out.unit = promised->leaf.unit;
        out.dispositions = promised->leaf.dispositions;
    }
    return out;
}

result<promised_chain> promise_of_chain(const endpoint_definition& e, side which, const CustomEndpointFactory& endpoints,
                                        const CustomMiddlewareFactory& middlewares) {
    const auto factory = endpoints.find(e.type);
    if (!factory) return no_such("endpoint", e.type, e.path);
    if (!(factory->sides() & which)) return no_such_side(e.type, e.path, which);
    const auto leaf = promise_of_leaf(*factory, e, which, endpoints, middlewares);
    if (!leaf) return at(e.path, leaf.error());
    promises now = which == consumer_side ? promise_above_ledger(*leaf) : *leaf;
    std::uint64_t holds_messages = 0;
    std::uint64_t holds_batches = 0;
    for (const middleware_definition* next : innermost_first(e, which)) {
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

result<route_promises> promises_of(const route_definition& definition, const CustomEndpointFactory& endpoints,
                                   const CustomMiddlewareFactory& middlewares) {
    const auto input = promise_of_chain(definition.input, consumer_side, endpoints, middlewares);
    if (!input) return input.error();
    const auto output = promise_of_chain(definition.output, publisher_side, endpoints, middlewares);
    if (!output) return output.error();
    return route_promises{input->top, output->top};
}

boost::asio::awaitable<result<std::unique_ptr<reconnecting_consumer>>> make_input_link(chain_parts parts, const endpoint_definition& e) {
    const auto factory = parts.endpoints.find(e.type);
    if (!factory) co_return no_such("endpoint", e.type, e.path);
    auto making = factory->make_consumer(context_for(parts, e.path, e.type, e.nested), e.config);
    auto leaf = co_await std::move(making);
    if (!leaf) co_return at(e.path, leaf.error());
    co_return std::make_unique<reconnecting_consumer>(std::move(*leaf), parts.box, parts.clock,
                                                      nanoseconds(parts.definition.reconnect_interval));
}

boost::asio::awaitable<result<std::unique_ptr<reconnecting_publisher>>> make_output_link(chain_parts parts, const endpoint_definition& e) {
    const auto factory = parts.endpoints.find(e.type);
    if (!factory) co_return no_such("endpoint", e.type, e.path);
    const auto promised = promise_of_leaf(*factory, e, publisher_side, parts.endpoints, parts.middlewares);
    if (!promised) co_return at(e.path, promised.error());
    auto making = factory->make_publisher(context_for(parts, e.path, e.type, e.nested), e.config);
    auto leaf = co_await std::move(making);
    if (!leaf) co_return at(e.path, leaf.error());
    co_return std::make_unique<reconnecting_publisher>(
        std::move(*leaf), parts.box, parts.clock, nanoseconds(parts.definition.reconnect_interval), promised->has(promises::ordered_retry));
}

boost::asio::awaitable<result<promises>> wrap_input(chain_parts parts, const endpoint_definition& e, promises inner, consumer& base,
                                                    std::vector<std::unique_ptr<consumer>>& into) {
    return wrap<consumer>(parts, e, consumer_side, inner, base, into);
}

boost::asio::awaitable<result<promises>> wrap_output(chain_parts parts, const endpoint_definition& e, promises inner, publisher& base,
                                                     std::vector<std::unique_ptr<publisher>>& into) {
    return wrap<publisher>(parts, e, publisher_side, inner, base, into);
}

boost::asio::awaitable<made_input> make_input(chain_parts parts) {
    const endpoint_definition& e = parts.definition.input;
    made_input out;
    const auto promised = promise_of_chain(e, consumer_side, parts.endpoints, parts.middlewares);
    if (!promised) {
        out.why = promised.error();
        co_return out;
    }
    input_chain& chain = out.chain;
    chain.leaf = promised->leaf;
    auto making = make_input_link(parts, e);
    auto link = co_await std::move(making);
    if (!link) {
        out.why = link.error();
        co_return out;
    }
    chain.link = link->get();
    chain.book = std::make_unique<ledger>(std::move(*link), chain.leaf, parts.counters, parts.box, parts.clock,
                                          std::max(parts.definition.commit_concurrency_limit, 1u));
    auto wrapping = wrap_input(parts, e, promise_above_ledger(chain.leaf), *chain.book, chain.middlewares);
    const auto top = co_await std::move(wrapping);
    if (!top) out.why = top.error();
    co_return out;
}

boost::asio::awaitable<made_output> make_output(chain_parts parts) {
    const endpoint_definition& e = parts.definition.output;
    made_output out;
    const auto promised = promise_of_chain(e, publisher_side, parts.endpoints, parts.middlewares);
    if (!promised) {
        out.why = promised.error();
        co_return out;
    }
    output_chain& chain = out.chain;
    chain.leaf_promises = promised->leaf;
    chain.top_promises = promised->top;
    auto making = make_output_link(parts, e);
    auto link = co_await std::move(making);
    if (!link) {
        out.why = link.error();
        co_return out;
    }
    chain.link = std::move(*link);
    auto wrapping = wrap_output(parts, e, promised->leaf, *chain.link, chain.middlewares);
    const auto top = co_await std::move(wrapping);
    if (!top) out.why = top.error();
    co_return out;
}

}  // namespace mqb::core
