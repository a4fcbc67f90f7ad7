#include "host/config/guarantee.hpp"

namespace mqb::config {

std::string_view to_text(delivery how) noexcept {
    switch (how) {
        case delivery::at_most_once: return "at most once";
        case delivery::at_least_once: return "at least once";
        case delivery::effectively_once: return "effectively once";
    }
    return "";
}

guarantee guarantee_of(const core::route_promises& of) noexcept {
    using core::promises;
    guarantee out;
    const bool repeats_safely = of.input.has(promises::stable_identity) && of.output.has(promises::idempotent);
    if (of.input.has(promises::acknowledges)) out.how = repeats_safely ? delivery::effectively_once : delivery::at_least_once;
    // A publisher without ordered_retry can get a failed message after later ones.
    out.is_ordered = of.output.has(promises::ordered) && of.output.has(promises::ordered_retry);
    return out;
}

std::string shortfall(std::string_view wanted, const core::route_promises& of) {
    const guarantee has = guarantee_of(of);
    const std::string but = std::string{"asks for "} + std::string{wanted} + ", but ";
    const bool acknowledges = has.how != delivery::at_most_once;
    if (wanted == "at_least_once" && !acknowledges) return but + "the input does not acknowledge: at most once";
    if (wanted == "effectively_once" && has.how != delivery::effectively_once) {
        if (!acknowledges) return but + "the input does not acknowledge: at most once";
        if (!of.input.has(core::promises::stable_identity))
            return but + "the input gives a message that comes again another id: at least once";
        return but + "the output does not recognise a message that comes again: at least once";
    }
    if (wanted == "ordered" && !has.is_ordered) return but + "the output does not keep the order of what is sent again";
    return {};
}

}  // namespace mqb::config
