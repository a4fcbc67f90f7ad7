#include "host/logs/line_logger.hpp"

#include <doctest/doctest.h>

#include <unistd.h>
#include <algorithm>
#include <array>
#include <string>
#include <vector>

using namespace mqb::host;
using mqb::core::log_level;
using namespace std::chrono_literals;

namespace {

// The other end of a pipe.
class reader {
public:
    reader() { REQUIRE(::pipe(ends_.data()) == 0); }
    ~reader() {
        ::close(ends_[0]);
        ::close(ends_[1]);
    }
    reader(const reader&) = delete;
    reader& operator=(const reader&) = delete;
    [[nodiscard]] int descriptor() const { return ends_[1]; }
    // What has been written since; something has been.
    std::string text() {
        std::string out(65536, '\0');
        REQUIRE(::write(ends_[1], ".", 1) == 1);
        const ssize_t n = ::read(ends_[0], out.data(), out.size());
        out.resize(static_cast<std::size_t>(n) - 1);
        return out;
    }

    // The same, where the pipe may be full.
    std::string text_of_what_is_there() {
        std::string out(1 << 20, '\0');
        const ssize_t n = ::read(ends_[0], out.data(), out.size());
        out.resize(static_cast<std::size_t>(n));
        return out;
    }

private:
    std::array<int, 2> ends_{};
};

const auto noon = std::chrono::system_clock::time_point{1'700'000'000'123ms};

}  // namespace

TEST_CASE("a line has time, level, route, endpoint and text") {
    reader to;
    line_logger log{to.descriptor()};
    log.write_at(noon, log_level::warning, "orders", "input", "gone\naway");
    CHECK(to.text() == "2023-11-14T22:13:20.123Z warning orders.input: gone away\n");
    log.write_at(noon, log_level::debug, "orders", "", "too low");
    CHECK(to.text().empty());
}

TEST_CASE("the same line as JSON") {
    reader to;
    line_logger log{to.descriptor(), log_level::debug, log_format::json};
    log.write_at(noon, log_level::error, "orders", "", "a \"b\"");
    CHECK(to.text() == "{\"time\":\"2023-11-14T22:13:20.123Z\",\"level\":\"error\",\"route\":\"orders\",\"text\":\"a \\\"b\\\"\"}\n");
}

TEST_CASE("an event that repeats is counted and told later") {
    reader to;
    line_logger log{to.descriptor()};
    for (int i = 0; i < 5; ++i) log.write_at(noon + i * 1s, log_level::info, "r", "", "again");
    CHECK(to.text() == "2023-11-14T22:13:20.123Z info r: again\n");
    log.write_at(noon + 11s, log_level::info, "r", "", "other");
    CHECK(to.text() == "2023-11-14T22:13:31.123Z info r: again (4 times more)\n2023-11-14T22:13:31.123Z info r: other\n");
    log.write_at(noon + 30s, log_level::info, "r", "", "again");
    CHECK(to.text() == "2023-11-14T22:13:50.123Z info r: again\n");
}

TEST_CASE("what was counted is told at the end") {
    reader to;
    line_logger log{to.descriptor()};
    for (int i = 0; i < 3; ++i) log.write_at(noon, log_level::info, "", "", "again");
    (void)to.text();
    log.flush();
    CHECK(to.text().ends_with(" info again (2 times more)\n"));
    log.flush();
    CHECK(to.text().empty());
}

TEST_CASE("many different events are not remembered for ever") {
    reader to;
    line_logger log{to.descriptor()};
    std::size_t lines = 0;
    for (int i = 0; i < 5000; ++i) {
        log.write_at(noon, log_level::info, "", "", "event " + std::to_string(i));
        for (const char c : to.text()) lines += c == '\n';
    }
    CHECK(lines == 5000);
}

TEST_CASE("secrets are taken out") {
    reader to;
    line_logger log{to.descriptor()};
    const std::vector<std::string> secrets{"hunter22"};
    log.set_scrubber(scrubber{secrets});
    log.write_at(noon, log_level::info, "", "", "login with hunter22 failed");
    CHECK(to.text().ends_with(" info login with *** failed\n"));
}

TEST_CASE("lines that nobody reads hold nobody up; the next reader is told how many were lost") {
    reader pipe;
    line_logger log{pipe.descriptor()};
    constexpr int lines = 60;
    for (int i = 0; i < lines; ++i) log.write_at(noon + i * 1s, log_level::info, "flow", "", std::to_string(i) + std::string(3000, 'x'));
    std::string first = pipe.text_of_what_is_there();
    const auto arrived = std::count(first.begin(), first.end(), '\n');
    CHECK(arrived > 10);
    CHECK(arrived < lines);
    log.write_at(noon + 100s, log_level::info, "flow", "", "here again");
    const std::string then = pipe.text();
    CHECK(then.find("warning log lines were lost because nobody read them: " + std::to_string(lines - arrived) + "\n") !=
          std::string::npos);
    CHECK(then.find("flow: here again\n") != std::string::npos);
    log.write_at(noon + 101s, log_level::info, "flow", "", "and again");
    CHECK(pipe.text().find("lost") == std::string::npos);
}
