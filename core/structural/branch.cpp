#include "core/structural/branch.hpp"

#include "core/nested_chain.hpp"

#include <utility>

namespace mqb::core {

boost::asio::awaitable<result<std::vector<branch>>> make_branches(instance_context context) {
    std::vector<branch> out;
    if (!context.nested) co_return failure{status::bad_config, "has no endpoints"};
    for (const std::string& where : context.nested->all()) {
        auto making = context.nested->make_publisher(where);
        auto made = co_await std::move(making);
        if (made) {
            out.push_back({context.nested->path(where), std::move(*made)});
            continue;
        }
        for (branch& b : out) {
            auto closing = close_unused(context.box, std::move(b.to));
            co_await std::move(closing);
        }
        co_return made.error();
    }
    co_return out;
}

// An order that each of them keeps is kept for whoever reads what one of them wrote. Who takes several sends at a time by keeping the
// order of what is sent again takes them beside others that do not keep it, too.
result<promises> promise_of_branches(const nested_promises& all) {
    constexpr std::uint32_t of_all = promises::ordered | promises::ordered_retry | promises::concurrent | promises::idempotent;
    promises out;
    out.flags = of_all;
    bool take_several = true;
    for (const std::string& where : all.all()) {
        const auto one = all.promise(where, publisher_side);
        if (!one) return one.error();
        take_several = take_several && one->has(promises::concurrent | promises::ordered_retry);
        out.flags = (out.flags & of_all & one->flags) | ((out.flags | one->flags) & promises::responds);
    }
    if (take_several && !out.has(promises::ordered_retry)) out.flags |= promises::concurrent;
    return out;
}

}  // namespace mqb::core
