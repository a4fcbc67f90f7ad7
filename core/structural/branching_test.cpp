// What a switch and a fanout have in common: connect, close, flushes, cancels, controls, events, promises.
#include "core/structural/branches_test.hpp"
#include "core/structural/switch_publisher.hpp"

#include <memory>

using namespace mqb::core;

namespace {

using strings = std::vector<std::string>;

struct setting : branch_setting {
    setting() {
        std::vector<failure> mistakes;
        auto choice = switch_choice::read(R"({"metadata_key":"k","cases":{"y":null},"default":null})", {"/cases/y", "/default"}, mistakes);
        top = std::make_unique<switch_publisher>(make(2), false, std::move(*choice));
    }
    std::unique_ptr<publisher> top;
};

struct fixed_promises final : nested_promises {
    explicit fixed_promises(std::vector<std::uint32_t> all) : flags(std::move(all)) {}
    [[nodiscard]] std::vector<std::string> all() const override {
        std::vector<std::string> out;
        for (std::size_t i = 0; i < flags.size(); ++i) out.push_back(std::to_string(i));
        return out;
    }
    [[nodiscard]] result<promises> promise(std::string_view where, side) const override {
        const std::uint32_t one = flags.at(static_cast<std::size_t>(where[0] - '0'));
        if (one == UINT32_MAX) return failure{status::bad_config, "makes no sense"};
        promises out;
        out.flags = one;
        return out;
    }
    std::vector<std::uint32_t> flags;
};

}  // namespace

TEST_CASE("all branches are connected at once, and each once") {
    setting s;
    for (scripted_branch* b : s.at) b->by.connect_answer = status::pending;
    told<call> c;
    CHECK(s.top->connect(c) == status::pending);
    CHECK(s.at[0]->by.connects + s.at[1]->by.connects == 2);
    scripted_branch::come_back(s.at[1]->connecting, status::ok);
    CHECK(c.answers.empty());
    s.at[0]->connecting.front()->texts.set(whole_call, "not today");
    scripted_branch::come_back(s.at[0]->connecting, status::retry);
    CHECK(c.answers == std::vector{status::retry});
    CHECK(c.texts.of(whole_call) == "output.x: not today");
    s.at[0]->by.connect_answer = status::ok;
    told<call> again;
    CHECK(s.top->connect(again) == status::ok);
    CHECK(s.at[0]->by.connects == 2);
    CHECK(s.at[1]->by.connects == 1);
}

TEST_CASE("a branch that can never be connected ends the connect, whichever it is, and the others are not waited for") {
    for (const bool at_once : {true, false})
        for (const std::size_t wrong : {0u, 1u}) {
            setting s;
            const std::size_t other = 1 - wrong;
            s.at[other]->by.connect_answer = status::pending;
            s.at[wrong]->by.connect_answer = at_once ? status::bad_config : status::pending;
            told<call> c;
            const status answer = s.top->connect(c);
            if (!at_once) scripted_branch::come_back(s.at[wrong]->connecting, status::bad_config);
            if (at_once && wrong == 0) {
                CHECK(s.at[other]->by.connects == 0);
                CHECK(answer == status::bad_config);
                continue;
            }
            REQUIRE(s.at[other]->by.cancelled.size() == 1);
            CHECK(c.answers.empty());
            scripted_branch::come_back(s.at[other]->connecting, status::cancelled);
            CHECK(c.answers == std::vector{status::bad_config});
        }
}

TEST_CASE("a cancelled connect or close is cancelled at each branch that has it still") {
    for (const bool closes : {false, true}) {
        setting s;
        for (scripted_branch* b : s.at) b->by.connect_answer = b->close_answer = status::pending;
        told<call> c;
        CHECK((closes ? s.top->close(c) : s.top->connect(c)) == status::pending);
        auto& first = closes ? s.at[0]->closing : s.at[0]->connecting;
        auto& second = closes ? s.at[1]->closing : s.at[1]->connecting;
        scripted_branch::come_back(first, status::ok);
        s.top->cancel(c);
        CHECK(s.at[0]->by.cancelled.empty());
        CHECK(s.at[1]->by.cancelled == std::vector<call*>{second.front()});
        scripted_branch::come_back(second, status::cancelled);
        CHECK(c.answers == std::vector{status::cancelled});
        s.top->cancel(c);  // nobody has it any more
        CHECK(s.at[1]->by.cancelled.size() == 1);
    }
}

TEST_CASE("a close goes to all, also after a failure, and its answer is the first failure") {
    setting s;
    s.at[0]->close_answer = status::retry;
    s.at[1]->close_answer = status::pending;
    told<call> c;
    CHECK(s.top->close(c) == status::pending);
    s.at[1]->closing.front()->texts.set(whole_call, "stuck");
    scripted_branch::come_back(s.at[1]->closing, status::rejected);
    CHECK(c.answers == std::vector{status::retry});
    CHECK(s.at[0]->by.closes + s.at[1]->by.closes == 2);
}

TEST_CASE("an empty send goes to all at once, and is finished when all have finished") {
    setting s;
    named_send flush{""};
    s.run(*s.top, flush);
    CHECK(s.log(0) == strings{""});
    CHECK(s.log(1) == strings{""});
    s.at[1]->by.answer("");
    CHECK(flush.answers.empty());
    s.at[0]->by.answer("", status::unsupported);
    CHECK(flush.answers == std::vector{status::ok});

    named_send fails{""};
    s.run(*s.top, fails);
    s.at[0]->by.pending.front()->texts.set(whole_call, "no space");
    s.at[0]->by.answer("", status::retry);
    s.at[1]->by.answer("", status::rejected);
    CHECK(fails.answers == std::vector{status::retry});  // it may be finished yet
    CHECK(fails.texts.of(whole_call) == "output.x: no space");
}

TEST_CASE("an empty send overtakes nothing and waits for nothing") {
    setting s;
    named_send x{"a"}, flush{""};
    s.run(*s.top, x);  // goes to the default
    s.run(*s.top, flush);
    CHECK(s.log(0) == strings{""});
    CHECK(s.log(1) == strings{"a", ""});
    s.at[0]->by.answer("");
    s.at[1]->by.pending.pop_front();  // the message stays where it is
    s.at[1]->by.answer("");
    CHECK(flush.answers == std::vector{status::ok});
    CHECK(x.answers.empty());
}

TEST_CASE("a cancel of a send reaches each branch that has a part still, and the completions still come") {
    setting s;
    const text_edit kind[] = {{"k", "y"}};
    const counted_block block = edited({}, kind);
    named_send x{"ab"};
    x.messages_[0].metadata = block.get();
    s.run(*s.top, x);
    s.at[0]->by.answer("d");
    s.top->cancel(x);
    CHECK(s.at[0]->by.cancelled.empty());
    CHECK(s.at[1]->by.cancelled == std::vector<call*>{s.at[1]->by.pending.front()});
    CHECK(x.answers.empty());
    s.at[1]->by.answer("u", status::cancelled);
    CHECK(x.answers == std::vector{status::cancelled});
    CHECK(x.results() == "du");
    s.top->cancel(x);
    CHECK(s.at[1]->by.cancelled.size() == 1);
}

TEST_CASE("a connection that a branch has lost is not one that the whole has lost") {
    setting s;
    named_send x{"a"};
    s.script(1, {"u"});
    s.at[1]->by.script_status = status::disconnected;
    s.run(*s.top, x);
    CHECK(x.answers == std::vector{status::retry});
    told<control_call> end;
    end.id = "input.ended";
    s.at[0]->control_answer = status::disconnected;
    CHECK(s.top->control(end) == status::retry);
    CHECK(end.texts.of(whole_call) == "output.x: no end");
}

TEST_CASE("what can never work weighs more than what fails for now") {
    for (const auto& [first, second, told] : {std::tuple{status::retry, status::bad_config, status::bad_config},
                                              {status::rejected, status::retry, status::rejected},
                                              {status::ok, status::cancelled, status::cancelled},
                                              {status::end, status::ok, status::ok}}) {
        setting s;
        const text_edit kind[] = {{"k", "y"}};
        const counted_block block = edited({}, kind);
        named_send x{"ab"};
        x.messages_[0].metadata = block.get();
        s.run(*s.top, x);
        s.at[0]->by.answer("u", first);
        s.at[1]->by.answer("u", second);
        CHECK(x.answers == std::vector{told});
    }
}

TEST_CASE("all branches hear of the end of the input; other controls have no single answer") {
    setting s;
    told<control_call> end;
    end.id = "input.ended";
    end.request = "{}";
    s.at[0]->control_answer = status::unsupported;
    CHECK(s.top->control(end) == status::ok);
    CHECK(s.at[0]->controls == strings{"input.ended {}"});
    CHECK(s.at[1]->controls == strings{"input.ended {}"});
    s.at[1]->control_answer = status::unsupported;
    CHECK(s.top->control(end) == status::unsupported);
    told<control_call> lag;
    lag.id = "lag";
    CHECK(s.top->control(lag) == status::unsupported);
    CHECK(s.at[0]->controls.size() == 2);
}

TEST_CASE("events of all branches go to one listener") {
    setting s;
    struct sink final : event_sink {
    } above;
    s.top->listen(&above);
    CHECK(s.at[0]->listener == &above);
    CHECK(s.at[1]->listener == &above);
}

TEST_CASE("a branching promises what all branches do, and answers where one of them does") {
    using p = promises;
    const auto of = [](std::vector<std::uint32_t> all) { return promise_of_branches(fixed_promises{std::move(all)})->flags; };
    const std::uint32_t all = p::ordered | p::ordered_retry | p::concurrent | p::idempotent;
    CHECK(of({all | p::transactional, all | p::responds}) == (all | p::responds));
    CHECK(of({all, p::ordered}) == p::ordered);
    CHECK(of({p::idempotent, p::ordered}) == 0);
    CHECK(of({p::ordered | p::ordered_retry, p::ordered | p::ordered_retry}) == (p::ordered | p::ordered_retry));
    // Each takes several sends at once, though not for the same reason.
    CHECK(of({p::ordered | p::ordered_retry, p::ordered | p::concurrent}) == (p::ordered | p::concurrent));
    CHECK(promise_of_branches(fixed_promises{{all, UINT32_MAX}}).error().text == "makes no sense");
}
