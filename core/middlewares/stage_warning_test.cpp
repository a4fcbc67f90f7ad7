// What a stage says about messages that go on.
#include "core/middlewares/scripted_publisher_test.hpp"
#include "core/middlewares/stage_publisher.hpp"

#include <string>
#include <vector>

using namespace mqb::core;

namespace {

// A message "w" passes with a warning, "c" is changed with one.
struct warner final : message_stage {
    staged apply(message& m, std::vector<counted_block>& made, std::string& why) override {
        ++seen;
        const char letter = m.payload.text()[0];
        if (letter != 'a') why = "hm " + std::to_string(seen);
        if (letter != 'c') return staged::passes;
        m.payload = made.emplace_back(1).get();
        return staged::changed;
    }
    int seen = 0;
};

struct lines final : logger {
    [[nodiscard]] log_level lowest() const noexcept override { return log_level::debug; }
    void write(log_level level, std::string_view route, std::string_view path, std::string_view text) noexcept override {
        CHECK(level == log_level::warning);
        all.push_back(std::string{route} + ' ' + std::string{path} + ' ' + std::string{text});
    }
    std::vector<std::string> all;
};

}  // namespace

TEST_CASE("the first warning about messages of a call that go on is told") {
    mailbox box;
    manual_timers clock{box};
    lines log;
    scripted_publisher inner{clock};
    stage_publisher stage{inner, std::make_unique<warner>(), {log, "warner", "r", "output"}};
    inner.script = {"ddd", "d", "d"};
    named_send several{"aww"}, one{"a"}, changed{"c"};
    CHECK(stage.send(several) == status::ok);
    CHECK(several.results() == "ddd");
    CHECK(log.all == std::vector<std::string>{"r output warner: hm 2"});
    CHECK(stage.send(one) == status::ok);
    CHECK(log.all.size() == 1);
    CHECK(stage.send(changed) == status::ok);
    CHECK(log.all.back() == "r output warner: hm 5");
}
