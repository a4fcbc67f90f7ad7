#include "host/config/guarantee.hpp"

namespace mqb::config {

namespace {

using core::promises;

// The first link without the flag, seen from the transport, if the chain as a whole has not got it.
const chain_link* weak_link(const chain_promises& chain, std::uint32_t flag) {
    if (chain.back().has.has(flag)) return nullptr;
    // What a link far in lacks may be mended farther out: the last loss counts.
    std::size_t at = chain.size() - 1;
    while (at > 0 && !chain[at - 1].has.has(flag)) --at;
    return &chain[at];
}

// What is sent again keeps its place where the output sees to it, or where the route is asked to and sends one message at a time.
// Workers do not know of each other's messages: only what is divided among them by its key keeps its order.
std::string order_weakness(const chain_promises& output, const core::route_definition& route) {
    if (const chain_link* weak = weak_link(output, promises::ordered)) return weak->name + " does not keep the order";
    if (route.keep_order) return {};
    if (const chain_link* weak = weak_link(output, promises::ordered_retry))
        return weak->name + " may get a message again after later ones";
    return route.has_workers() && !route.order_by ? "the workers of `concurrency` may send a message again after later ones"
                                                  : std::string{};
}

}  // namespace

std::string_view to_text(delivery how) noexcept {
    switch (how) {
        case delivery::at_most_once: return "at most once";
        case delivery::at_least_once: return "at least once";
        case delivery::effectively_once: return "effectively once";
    }
    return "";
}

std::string guarantee::text() const {
    std::string out{to_text(how)};
    if (!weakness.empty()) out += " (" + weakness + ')';
    return out + (is_ordered ? is_by_key ? ", ordered by key" : ", ordered" : ", not ordered (" + disorder + ')');
}

guarantee guarantee_of(const chain_promises& input, const chain_promises& output, const core::route_definition& route) {
    guarantee out;
    if (const chain_link* weak = weak_link(input, promises::acknowledges)) {
        out.weakness = weak->name + " does not acknowledge";
    } else if (const chain_link* changing = weak_link(input, promises::stable_identity)) {
        out.how = delivery::at_least_once;
        out.weakness = changing->name + " gives a message that comes again another id";
    } else if (const chain_link* blind = weak_link(output, promises::idempotent)) {
        out.how = delivery::at_least_once;
        out.weakness = blind->name + " does not recognise a message that comes again";
    } else {
        out.how = delivery::effectively_once;
    }
    out.disorder = order_weakness(output, route);
    out.is_ordered = out.disorder.empty();
    out.is_by_key = route.divides_by_key(output.back().has) && !route.order_by_is_lane;
    return out;
}

std::string shortfall(std::string_view wanted, const guarantee& has) {
    const delivery least = wanted == "effectively_once" ? delivery::effectively_once
                           : wanted == "at_least_once"  ? delivery::at_least_once
                                                        : delivery::at_most_once;
    const std::string asks = "asks for " + std::string{wanted} + ", but the route is ";
    if (has.how < least) return asks + std::string{to_text(has.how)} + ": " + has.weakness;
    return wanted == "ordered" && !has.is_ordered ? asks + "not: " + has.disorder : std::string{};
}

}  // namespace mqb::config
