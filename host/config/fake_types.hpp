// fake_types: endpoints and a middleware for tests of route files. They promise things and make nothing.
#pragma once

#include "core/structural/null.hpp"
#include "host/config/known_types.hpp"

#include <string>
#include <utility>

namespace mqb::config::fakes {

class endpoint final : public core::endpoint_factory {
public:
    endpoint(std::string schema, std::uint32_t sides, std::uint32_t flags, std::uint32_t dispositions = core::bit(core::disposition::ack))
        : schema_(std::move(schema)), sides_(sides) {
        promises_.flags = flags;
        promises_.dispositions = dispositions;
    }
    [[nodiscard]] std::uint32_t sides() const noexcept override { return sides_; }
    [[nodiscard]] std::string_view schema() const noexcept override { return schema_; }
    [[nodiscard]] core::result<core::promises> promise(std::string_view config, core::side) const override {
        if (config.find("\"nonsense\"") != std::string_view::npos) return core::failure{core::status::bad_config, "makes no sense"};
        if (config.find("\"throws\"") != std::string_view::npos) return core::failure{core::status::rejected, "x.promises threw: boom"};
        return promises_;
    }
    boost::asio::awaitable<core::result<std::unique_ptr<core::consumer>>> make_consumer(core::instance_context, std::string) override {
        co_return core::failure{core::status::unsupported, "a fake"};
    }
    boost::asio::awaitable<core::result<std::unique_ptr<core::publisher>>> make_publisher(core::instance_context, std::string) override {
        co_return core::failure{core::status::unsupported, "a fake"};
    }

private:
    std::string schema_;
    std::uint32_t sides_;
    core::promises promises_;
};

class middleware final : public core::middleware_factory {
public:
    middleware(std::string schema, std::uint32_t sides, std::uint32_t takes = 0)
        : schema_(std::move(schema)), sides_(sides), takes_(takes) {}
    [[nodiscard]] std::uint32_t sides() const noexcept override { return sides_; }
    [[nodiscard]] std::string_view schema() const noexcept override { return schema_; }
    [[nodiscard]] core::result<core::promises> promise(std::string_view config, core::side, core::promises inner) const override {
        if (config.find("99") != std::string_view::npos) return core::failure{core::status::rejected, "y.promises threw: boom"};
        inner.flags &= ~takes_;
        return inner;
    }
    boost::asio::awaitable<core::result<std::unique_ptr<core::consumer>>> wrap(core::instance_context, std::string,
                                                                               core::consumer&) override {
        co_return core::failure{core::status::unsupported, "a fake"};
    }
    boost::asio::awaitable<core::result<std::unique_ptr<core::publisher>>> wrap(core::instance_context, std::string,
                                                                                core::publisher&) override {
        co_return core::failure{core::status::unsupported, "a fake"};
    }

private:
    std::string schema_;
    std::uint32_t sides_;
    std::uint32_t takes_;  // promises that do not survive it
};

// `file` both ways, `queue` in only, `sink` out only, `again` as a middleware of outputs; `cut` is broken. `spread`,
// `choose` and `pull` have endpoints in their configurations, and so has the middleware `aside`; `shuffle` takes away the order.
inline known_types make_types() {
    using core::promises;
    known_types out;
    const char* file =
        R"({"type":"object","properties":{"path":{"type":"string","x-mqb-uri":"path","x-mqb-exclusive":"path"},"format":{"type":"string","enum":["normal","raw","csv"],
        "default":"normal"},"delete":{"type":"boolean","default":false,"x-mqb-sides":["consumer"]}},"required":["path"],"additionalProperties":false})";
    out.endpoints.add("null", std::make_shared<core::null_factory>());
    out.endpoints.add("file", std::make_shared<endpoint>(file, 3, promises::acknowledges | promises::ordered | promises::ordered_retry));
    out.endpoints.add("queue", std::make_shared<endpoint>(R"({"type":"object"})", 1, promises::acknowledges | promises::stable_identity));
    out.endpoints.add("wire", std::make_shared<endpoint>(R"({"type":"object"})", 1, 0));
    out.endpoints.add("sink", std::make_shared<endpoint>(R"({"type":"object"})", 2, promises::idempotent));
    out.middlewares.add(
        "again",
        std::make_shared<middleware>(
            R"({"type":"object","properties":{"max_attempts":{"type":"integer","minimum":1,"default":3}},"additionalProperties":false})",
            2));
    out.endpoints.add("lease", std::make_shared<endpoint>(R"({"type":"object"})", 1, promises::acknowledges,
                                                          core::bit(core::disposition::ack) | core::bit(core::disposition::reject)));
    out.endpoints.add("spread",
                      std::make_shared<endpoint>(R"({"type":"array","items":{"x-mqb-endpoint":"publisher"}})", 2, promises::ordered));
    out.endpoints.add("choose", std::make_shared<endpoint>(
                                    R"({"type":"object","properties":{"key":{"type":"string","default":"k"},
        "cases":{"type":"object","additionalProperties":{"x-mqb-endpoint":"publisher"}},
        "when":{"type":"array","items":{"type":"object","properties":{"if":{"type":"string"},"to":{"x-mqb-endpoint":"publisher"}},"required":["to"]}},
        "default":{"x-mqb-endpoint":"publisher","x-mqb-aliases":["else"]}}})",
                                    2, 0));
    out.endpoints.add("pull", std::make_shared<endpoint>(R"({"x-mqb-endpoint":"consumer"})", 2, 0));
    out.endpoints.add("keep", std::make_shared<endpoint>(R"({"type":"object","properties":{"store":{"x-mqb-store":true}}})", 2, 0));
    out.endpoints.add("login",
                      std::make_shared<endpoint>(
                          R"({"type":"object","properties":{"user":{"type":"string"},"password":{"type":"string","x-mqb-secret":true},
        "port":{"type":"integer"},"any":{},"url":{"type":"string"}}})",
                          3, promises::acknowledges));
    out.middlewares.add("aside",
                        std::make_shared<middleware>(
                            R"({"type":"object","properties":{"endpoint":{"x-mqb-endpoint":"publisher"}},"required":["endpoint"]})", 2));
    out.middlewares.add("shuffle", std::make_shared<middleware>(R"({"type":"object"})", 3,
                                                                promises::ordered | promises::ordered_retry | promises::stable_identity));
    out.broken_endpoints.emplace("cut", "/x/libmqb_cut.so: file too short");
    out.missing_endpoints.emplace("fiel", "no plugin offers the endpoint \"fiel\" (did you mean \"file\"?); looked in /x");
    return out;
}

}  // namespace mqb::config::fakes
