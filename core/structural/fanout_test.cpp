#include "core/structural/fanout.hpp"

#include "core/structural/branches_test.hpp"
#include "core/structural/fanout_publisher.hpp"

#include <optional>

using namespace mqb::core;

namespace {

using strings = std::vector<std::string>;

struct warnings final : logger {
    [[nodiscard]] log_level lowest() const noexcept override { return log_level::warning; }
    void write(log_level, std::string_view, std::string_view endpoint, std::string_view text) noexcept override {
        lines.push_back(std::string{endpoint} + ": " + std::string{text});
    }
    strings lines;
};

struct setting : branch_setting {
    explicit setting(std::size_t branches = 2, bool keeps_order = false) {
        top.emplace(make(branches), keeps_order, partly_sent{clock, 1000}, stage_log{log_, "fanout", "r", "output"});
    }
    warnings log_;
    std::optional<fanout_publisher> top;
};

// Messages with an id each: that of their letter.
struct known_send : named_send {
    explicit known_send(std::string letters) : named_send(std::move(letters)) {
        for (std::size_t i = 0; i < names.size(); ++i) messages_[i].id[0] = static_cast<std::uint8_t>(names[i]);
    }
};

// Sends them once more, as the route would: what is not done, in another send. Its results.
std::string again(setting& s, std::string letters, std::string first, std::string second) {
    known_send x{std::move(letters)};
    if (!first.empty()) s.script(0, {std::move(first)});
    if (!second.empty()) s.script(1, {std::move(second)});
    s.run(*s.top, x);
    return x.results();
}

}  // namespace

TEST_CASE("every branch gets every message at once, without a copy, and a send is done when all have taken it") {
    setting s{3};
    known_send x{"abc"};
    s.run(*s.top, x);
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(s.log(i) == strings{"abc"});
        CHECK(s.at[i]->list_of_last == x.messages_.data());
    }
    s.at[2]->by.answer("ddd");
    s.at[0]->by.answer("ddd");
    CHECK(x.answers.empty());
    s.at[1]->by.answer("ddd");
    CHECK(x.answers == std::vector{status::ok});
    CHECK(x.results() == "ddd");
}

TEST_CASE("the worst answer of two counts: what may be tried again, then what is refused, then done; C105") {
    // by the first branch, by the second, what comes of both
    for (const auto& [first, second, both] : {std::tuple{'d', 'd', "d"},
                                              {'d', 'r', "r"},
                                              {'d', 'a', "a"},
                                              {'d', 'e', "e"},
                                              {'d', 'u', "u"},
                                              {'d', '?', "?*"},
                                              {'r', 'r', "r"},
                                              {'r', 'a', "a"},
                                              {'r', 'u', "u"},
                                              {'r', 'e', "e"},
                                              {'r', '?', "?*"},
                                              {'a', 'e', "a"},
                                              {'a', 'u', "a"},
                                              {'e', 'e', "e"},
                                              {'e', 'u', "a"},
                                              {'e', '?', "a*"},
                                              {'?', 'u', "?*"},
                                              {'u', 'u', "u"}}) {
        for (const bool swapped : {false, true}) {
            setting s;
            const std::string of_first{swapped ? second : first}, of_second{swapped ? first : second};
            CAPTURE(of_first);
            CAPTURE(of_second);
            CHECK(again(s, "a", of_first, of_second) == both);
        }
    }
}

TEST_CASE("what comes back is sent again to the branches that do not have it, and to no other; C105") {
    const std::string classes = "dauer?";
    for (const char first : classes)
        for (const char second : classes) {
            const bool comes_back = (first != 'd' && first != 'r') || (second != 'd' && second != 'r');
            if (!comes_back) continue;
            setting s;
            CAPTURE(first);
            CAPTURE(second);
            (void)again(s, "a", {first}, {second});
            CHECK(again(s, "a", first == 'd' ? "" : "d", second == 'd' ? "" : "d").substr(0, 1) == "d");
            CHECK(s.log(0) == (first == 'd' ? strings{"a"} : strings{"a", "a"}));
            CHECK(s.log(1) == (second == 'd' ? strings{"a"} : strings{"a", "a"}));
            // It is forgotten with that: the next one of this name is another message.
            CHECK(again(s, "a", "d", "d") == "d");
        }
}

TEST_CASE("messages come again with others, in another order, in other sends, or one by one, and find their branches; C105") {
    setting s;
    CHECK(again(s, "abcd", "dddd", "adau") == "adau");
    CHECK(s.log(1) == strings{"abcd"});
    // d and a come beside a new one; c stays away for now
    known_send x{"dea"};
    s.script(0, {"d"});
    s.script(1, {"dda"});
    s.run(*s.top, x);
    CHECK(x.results() == "dda");
    CHECK(s.log(0) == strings{"abcd", "e"});
    CHECK(s.log(1) == strings{"abcd", "dea"});
    CHECK(again(s, "c", "", "d") == "d");
    CHECK(again(s, "a", "", "d") == "d");
    CHECK(s.log(0) == strings{"abcd", "e"});
}

TEST_CASE("each branch may lack other messages, also of one that fails again and again") {
    setting s{3};
    known_send x{"abc"};
    s.script(0, {"dad"});
    s.script(1, {"add"});
    s.script(2, {"ada"});
    s.run(*s.top, x);
    CHECK(x.results() == "aaa");
    known_send y{"abc"};
    s.script(0, {"d"});
    s.script(1, {"a"});
    s.script(2, {"dd"});
    s.run(*s.top, y);
    CHECK(y.results() == "add");
    CHECK(s.log(0).back() == "b");
    CHECK(s.log(1).back() == "a");
    CHECK(s.log(2).back() == "ac");
    known_send z{"a"};
    s.script(1, {"d"});
    s.run(*s.top, z);
    CHECK(z.results() == "d");
    for (std::size_t i = 0; i < 3; ++i) CHECK(s.log(i).size() == (i == 1 ? 3 : 2));
}

TEST_CASE("a refusal is told once, when nothing else is left; the branch is asked again with what else is sent again; C105") {
    setting s{3};
    known_send x{"a"};
    s.script(0, {"d"});
    s.script(1, {"r"});
    s.script(2, {"a"});
    s.run(*s.top, x);
    CHECK(x.results() == "a");
    CHECK(x.texts.of(0) == "output.y: no r; output.z: no a");
    known_send y{"a"};
    s.script(1, {"r"});
    s.script(2, {"d"});
    s.run(*s.top, y);
    CHECK(y.results() == "r");
    CHECK(y.texts.of(0) == "output.y: no r");
    CHECK(s.log(0) == strings{"a"});
}

TEST_CASE("a refused message that comes again, since nobody could bury it, goes to those alone that do not have it; C105") {
    setting s{3};
    known_send x{"ab"};
    s.script(0, {"dd"});
    s.script(1, {"rr"});
    s.script(2, {"dr"});
    s.run(*s.top, x);
    CHECK(x.results() == "rr");
    known_send y{"ba"};
    s.script(1, {"rd"});
    s.script(2, {"d"});
    s.run(*s.top, y);
    CHECK(y.results() == "rd");
    CHECK(again(s, "b", "", "d") == "d");
    CHECK(s.log(0) == strings{"ab"});
    CHECK(s.log(1) == strings{"ab", "ba", "b"});
    CHECK(s.log(2) == strings{"ab", "b"});
}

TEST_CASE("the text names the branch, also where it gave none, and a text of the whole call is that of its messages") {
    setting s;
    known_send x{"ab"};
    s.run(*s.top, x);
    s.at[0]->by.answer("dd");
    send_call& c = *s.at[1]->by.pending.front();
    c.texts.set(whole_call, "the disk is full");
    c.outcomes[0].set(send_result::again);
    c.done(c, status::retry);
    CHECK(x.results() == "au");
    CHECK(x.answers == std::vector{status::retry});
    CHECK(x.texts.best(0) == "output.y: the disk is full");
    s.at[1]->by.pending.clear();
    known_send y{"c"};
    s.run(*s.top, y);
    s.at[0]->by.answer("d");
    send_call& silent = *s.at[1]->by.pending.front();
    silent.outcomes[0].set(send_result::refused);
    silent.done(silent, status::ok);
    CHECK(y.texts.of(0) == "output.y: refused it");
}

TEST_CASE("not before the latest time that a branch asks for") {
    setting s;
    s.at[0]->by.not_before = 70;
    s.at[1]->by.not_before = 50;
    known_send x{"a"};
    s.script(0, {"a"});
    s.script(1, {"a"});
    s.run(*s.top, x);
    CHECK(x.outcomes_[0].number == 70);
}

TEST_CASE("done is what the branches made of it: a dead letter if one has buried it, else delivered if one has, also over two sends") {
    const auto letter = [](became what) {
        return [what](setting& s, std::size_t i) {
            send_call& c = *s.at[i]->by.pending.front();
            s.at[i]->by.pending.pop_front();
            c.outcomes[0].set(send_result::done);
            c.outcomes[0].number = static_cast<std::uint64_t>(what);
            c.done(c, status::ok);
        };
    };
    for (const auto& [first, second, both] : {std::tuple{became::delivered, became::dead_lettered, became::dead_lettered},
                                              {became::filtered, became::delivered, became::delivered},
                                              {became::filtered, became::discarded, became::discarded},
                                              {became::filtered, became::filtered, became::filtered},
                                              {became::duplicate, became::delivered, became::delivered},
                                              {became::dead_lettered, became::filtered, became::dead_lettered}}) {
        setting s;
        known_send x{"a"};
        s.run(*s.top, x);
        letter(first)(s, 0);
        letter(second)(s, 1);
        CHECK(x.outcomes_[0].sent() == send_result::done);
        CHECK(x.outcomes_[0].number == static_cast<std::uint64_t>(both));
        known_send y{"b"};
        s.run(*s.top, y);
        letter(first)(s, 0);
        s.at[1]->by.answer("a");
        CHECK(y.results() == "a");
        known_send z{"b"};
        s.run(*s.top, z);
        letter(second)(s, 1);
        CHECK(z.outcomes_[0].number == static_cast<std::uint64_t>(both));
    }
}

TEST_CASE("the mark of a try that may have arrived stays") {
    setting s;
    known_send x{"a"};
    s.run(*s.top, x);
    s.at[0]->by.pending.front()->outcomes[0].flags = was_uncertain;
    s.at[0]->by.answer("d");
    s.at[1]->by.answer("r");
    CHECK(x.results() == "r*");
}

TEST_CASE("what was cancelled half-way is remembered too") {
    setting s;
    known_send x{"ab"};
    s.run(*s.top, x);
    s.at[0]->by.answer("dd");
    s.top->cancel(x);
    CHECK(s.at[1]->by.cancelled.size() == 1);
    s.at[1]->by.answer("du", status::cancelled);
    CHECK(x.results() == "du");
    CHECK(x.answers == std::vector{status::cancelled});
    CHECK(again(s, "b", "", "d") == "d");
    CHECK(s.log(0) == strings{"ab"});
}

TEST_CASE("a flush goes to all branches and forgets nothing") {
    setting s;
    CHECK(again(s, "a", "d", "a") == "a");
    known_send flush{""};
    s.script(0, {""});
    s.script(1, {""});
    s.run(*s.top, flush);
    CHECK(flush.answers == std::vector{status::ok});
    CHECK(s.log(0) == strings{"a", ""});
    CHECK(again(s, "a", "", "d") == "d");
    CHECK(s.log(0) == strings{"a", ""});
}

TEST_CASE("where the order of what is sent again is kept a branch that has failed gets nothing until the caller has heard of it") {
    for (const bool keeps_order : {true, false}) {
        setting s{2, keeps_order};
        known_send x{"ab"}, y{"c"}, z{"d"};
        s.run(*s.top, x);
        s.at[1]->by.answer("da");  // the first one has not answered: nobody knows
        s.run(*s.top, y);
        CHECK(s.log(0) == strings{"ab", "c"});
        CHECK(s.log(1) == (keeps_order ? strings{"ab"} : strings{"ab", "c"}));
        s.at[0]->by.answer("dd");
        CHECK(x.results() == "da");
        s.at[0]->by.answer("d");
        if (!keeps_order) continue;
        CHECK(y.results() == "u");
        s.run(*s.top, z);
        CHECK(s.log(1) == strings{"ab", "d"});
        CHECK(again(s, "bc", "", "") == "uu");  // pending: the script is used up
        CHECK(s.log(1) == strings{"ab", "d", "bc"});
        CHECK(s.log(0) == strings{"ab", "c", "d"});
    }
    setting refusing{2, true};
    known_send x{"a"}, y{"b"};
    refusing.run(*refusing.top, x);
    refusing.at[1]->by.answer("r");  // nothing of that comes again
    refusing.run(*refusing.top, y);
    CHECK(refusing.log(1) == strings{"a", "b"});
}

TEST_CASE("it names at least one endpoint and at most 64") {
    fanout_factory factory;
    CHECK(factory.mistakes("[null]", publisher_side).empty());
    CHECK(factory.mistakes("[]", publisher_side).at(0).text == "names no endpoints: every message would count as delivered and be gone");
    std::string many = "[null";
    for (int i = 1; i < 64; ++i) many += ",null";
    CHECK(factory.mistakes(many + "]", publisher_side).empty());
    CHECK(factory.promise(many + ",null]", publisher_side).error().text ==
          "more than 64 endpoints: put some of them into a fanout in this one");
    CHECK(factory.sides() == publisher_side);
}
