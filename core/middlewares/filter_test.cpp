#include "core/middlewares/filter.hpp"

#include "core/middlewares/scripted_publisher_test.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <memory>

using namespace mqb::core;

namespace {

struct silence final : logger {
    [[nodiscard]] log_level lowest() const noexcept override { return log_level::error; }
    void write(log_level, std::string_view, std::string_view, std::string_view) noexcept override {}
};

// A filter in front of an output, which gets what it lets through.
struct filtered_output {
    explicit filtered_output(std::string config) {
        boost::asio::io_context run;
        filter_factory factory;
        auto context = instance_context{box, clock, log, "r", "output", "o", ""};
        boost::asio::co_spawn(run, factory.wrap(std::move(context), std::move(config), inner), [this](std::exception_ptr, auto made) {
            REQUIRE(made.has_value());
            top = std::move(*made);
        });
        run.run();
    }
    // "d", "f" or "r", with the text of a failure.
    std::string send(std::string_view payload, std::string_view metadata = {}) {
        named_send one{"a"};
        one.messages_[0].payload = {reinterpret_cast<const std::uint8_t*>(payload.data()), payload.size(), nullptr};
        const text_edit edit[] = {{"k", metadata}};
        counted_block block;
        if (!metadata.empty()) block = edited({}, edit);
        one.messages_[0].metadata = block.get();
        inner.script = {"d"};
        CHECK(top->send(one) == status::ok);
        const std::string_view text = one.texts.of(0);
        const bool is_discarded = one.outcomes[0].number == static_cast<std::uint64_t>(became::discarded);
        return one.results() + (is_discarded ? " discarded" : "") + (text.empty() ? "" : ' ' + std::string{text});
    }
    mailbox box;
    manual_timers clock{box};
    silence log;
    scripted_publisher inner{clock};
    std::unique_ptr<publisher> top;
};

failure mistake_of(std::string_view config) {
    const auto promised = filter_factory{}.promise(config, publisher_side, {});
    REQUIRE_FALSE(promised.has_value());
    return promised.error();
}

}  // namespace

TEST_CASE("a filter lets through what its expression holds of") {
    filtered_output amount{R"("amount > 100")"};
    CHECK(amount.send(R"({"amount":101})") == "d");
    CHECK(amount.send(R"({"amount":"150"})") == "d");
    CHECK(amount.send(R"({"amount":100})") == "f");
    CHECK(amount.send("{}") == "f");
    CHECK(amount.inner.log.size() == 2);
    filtered_output key{R"({"expression": "meta.k == 'raw'"})"};
    CHECK(key.send("no JSON", "raw") == "d");
    CHECK(key.send("no JSON", "other") == "f");
    CHECK(key.send("no JSON") == "f");
}

TEST_CASE("a message of which the expression has no answer fails, or is discarded on purpose") {
    filtered_output fails{R"("amount > 100")"};
    CHECK(fails.send("text") == "r filter: the payload is not structured JSON: it is no JSON");
    CHECK(fails.send(R"({"amount":"abc"})").starts_with("r filter: "));
    CHECK(fails.send(R"({"amount":101})") == "d");
    filtered_output drops{R"({"expression": "amount > 100", "on_error": "drop"})"};
    CHECK(drops.send("text") == "d discarded");
    CHECK(drops.send(R"({"amount":1})") == "f");
}

TEST_CASE("the mistake of an expression is one of the configuration, with its place") {
    const failure why = mistake_of(R"("amount >")");
    CHECK(why.what == status::bad_config);
    CHECK(why.text == "the expression ends where a value is missing");
    CHECK(why.excerpt == "  amount >\n          ^");
    CHECK(mistake_of(R"({"expression": "a = 1"})").what == status::bad_config);
}

TEST_CASE("a filter keeps what its endpoint promises, but for transactions over a whole send") {
    promises inner;
    inner.flags = promises::acknowledges | promises::ordered | promises::transactional;
    CHECK(filter_factory{}.promise(R"("true")", publisher_side, inner)->flags == (promises::acknowledges | promises::ordered));
    CHECK(filter_factory{}.promise(R"("true")", consumer_side, inner)->flags == inner.flags);
}
