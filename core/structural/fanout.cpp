#include "core/structural/fanout.hpp"

#include "core/structural/fanout_publisher.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <utility>

namespace mqb::core {

namespace {

// A route holds no more messages than this: each counts as so many bytes of what may be in flight.
std::size_t most_messages(const instance_context& context) {
    constexpr std::uint64_t usual_budget = 64u << 20, least_of_one = 128, least = 1024;
    const std::uint64_t budget = context.byte_budget == 0 ? usual_budget : context.byte_budget;
    return static_cast<std::size_t>(std::max(budget / least_of_one, least));
}

}  // namespace

std::string_view fanout_factory::schema() const noexcept {
    return R"({
  "type": "array",
  "description": "sends each message to all of these endpoints at once",
  "items": {"x-mqb-endpoint": "publisher"}
})";
}

std::vector<failure> fanout_factory::mistakes(std::string_view config, side) const {
    boost::system::error_code failed;
    const boost::json::value value = boost::json::parse({config.data(), config.size()}, failed);
    const std::size_t count = !failed && value.is_array() ? value.get_array().size() : 0;
    if (count == 0) return {{status::bad_config, "names no endpoints: every message would count as delivered and be gone"}};
    if (count > most_branches)
        return {
            {status::bad_config, "more than " + std::to_string(most_branches) + " endpoints: put some of them into a fanout in this one"}};
    return {};
}

result<promises> fanout_factory::promise(std::string_view config, side which) const {
    const auto wrong = mistakes(config, which);
    if (!wrong.empty()) return wrong.front();
    return promises{};
}

result<promises> fanout_factory::promise_over(std::string_view config, side which, const nested_promises& inside) const {
    const auto wrong = mistakes(config, which);
    if (!wrong.empty()) return wrong.front();
    return promise_of_branches(inside);
}

boost::asio::awaitable<result<std::unique_ptr<consumer>>> fanout_factory::make_consumer(instance_context, std::string) {
    co_return failure{status::unsupported, "\"fanout\" cannot stand at an input"};
}

boost::asio::awaitable<result<std::unique_ptr<publisher>>> fanout_factory::make_publisher(instance_context context, std::string config) {
    const auto wrong = mistakes(config, publisher_side);
    if (!wrong.empty()) co_return wrong.front();
    if (!context.nested) co_return failure{status::bad_config, "has no endpoints"};
    const auto promised = promise_of_branches(*context.nested);
    if (!promised) co_return promised.error();
    auto making = make_branches(context);
    auto made = co_await std::move(making);
    if (!made) co_return made.error();
    co_return std::unique_ptr<publisher>{std::make_unique<fanout_publisher>(
        std::move(*made), promised->has(promises::ordered_retry), partly_sent{context.clock, most_messages(context)},
        stage_log{context.log, "fanout", std::move(context.route), std::move(context.path)})};
}

}  // namespace mqb::core
