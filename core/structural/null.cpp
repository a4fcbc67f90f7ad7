#include "core/structural/null.hpp"

namespace mqb::core {

namespace {

class null_publisher final : public publisher {
public:
    status connect(call&) override { return status::ok; }
    status send(send_call& c) override {
        for (std::uint32_t i = 0; i < c.outcomes.count; ++i) c.outcomes[i].set(send_result::done);
        return status::ok;
    }
    void cancel(call&) override {}
    status close(call&) override { return status::ok; }
    void listen(event_sink*) override {}
};

}  // namespace

std::string_view null_factory::schema() const noexcept {
    return R"({"type": ["null", "object"], "description": "discards every message", "additionalProperties": false})";
}

result<promises> null_factory::promise(std::string_view, side) const {
    promises out;
    out.flags = promises::ordered | promises::ordered_retry | promises::concurrent | promises::idempotent;
    return out;
}

boost::asio::awaitable<result<std::unique_ptr<consumer>>> null_factory::make_consumer(instance_context, std::string) {
    co_return failure{status::unsupported, "\"null\" cannot stand at an input"};
}

boost::asio::awaitable<result<std::unique_ptr<publisher>>> null_factory::make_publisher(instance_context, std::string) {
    co_return std::unique_ptr<publisher>{std::make_unique<null_publisher>()};
}

}  // namespace mqb::core
