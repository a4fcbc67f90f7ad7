// The stage on both sides, with one whose messages say what becomes of them.
#include "core/ledger_leaf_test.hpp"
#include "core/middlewares/scripted_publisher_test.hpp"
#include "core/middlewares/stage_consumer.hpp"
#include "core/middlewares/stage_publisher.hpp"

#include <list>
#include <optional>

using namespace mqb::core;

namespace {

// f filtered, x discarded, r refused, c changed to C; anything else passes.
struct by_letter final : message_stage {
    staged apply(message& m, std::vector<counted_block>& made, std::string& why) override {
        ++seen;
        const char letter = m.payload.text()[0];
        if (letter == 'f') return staged::filtered;
        if (letter == 'x' || letter == 'r') return why = "no good", letter == 'x' ? staged::discarded : staged::refused;
        if (letter != 'c') return staged::passes;
        counted_block& block = made.emplace_back(1);
        *block.bytes() = 'C';
        m.payload = block.get();
        return staged::changed;
    }
    int seen = 0;
};

struct lines final : logger {
    [[nodiscard]] log_level lowest() const noexcept override { return log_level::debug; }
    void write(log_level, std::string_view route, std::string_view path, std::string_view text) noexcept override {
        all.push_back(std::string{route} + ' ' + std::string{path} + ' ' + std::string{text});
    }
    std::vector<std::string> all;
};

using words = std::vector<std::string>;

struct output_side {
    output_side() : stage(inner, std::make_unique<by_letter>(), {log, "by_letter", "r", "output"}) {}
    std::string send(named_send& s) {
        const status answer = stage.send(s);
        if (answer != status::pending) s.answers.push_back(answer);
        return s.results();
    }
    mailbox box;
    manual_timers clock{box};
    lines log;
    scripted_publisher inner{clock};
    stage_publisher stage;
};

// A source of batches of letters, which answers at once unless it is told to wait.
struct letter_source final : consumer {
    status connect(call&) override { return status::ok; }
    status receive(receive_call& c) override {
        ++receives;
        waiting = &c;
        if (script.empty()) return status::pending;
        return give(c);
    }
    status give(receive_call& c) {
        const std::string letters = script.front();
        script.pop_front();
        if (letters.empty()) return status::ok;
        if (letters == "end") return status::end;
        auto& b = batches.emplace_back();
        b.text = letters;
        for (const char& l : b.text) b.messages.emplace_back().payload = {reinterpret_cast<const std::uint8_t*>(&l), 1, nullptr};
        c.messages = message_list{std::span<const message>{b.messages}};
        c.batch = &b;
        return status::ok;
    }
    // To the receive that waits.
    void come(std::string letters) {
        script.push_back(std::move(letters));
        receive_call& c = *waiting;
        c.done(c, give(c));
    }
    status settle(settle_call& c) override {
        std::string line;
        const auto& b = *static_cast<batch*>(c.batch);
        for (std::uint32_t k = 0; k < c.entries.count; ++k) {
            const settle_entry e = c.entries.copy(k);
            line += (k ? " " : "") + (e.index < b.text.size() ? std::string(1, b.text[e.index]) : "?") +
                    std::string{" njrm"}.substr(static_cast<std::size_t>(e.what), 1);
            if (line.back() == ' ') line.pop_back();
            if (e.reason.size) line += "(" + std::string{std::string_view{e.reason}} + ")";
            c.outcomes[k].set(outcome_of_settle);
        }
        settled.push_back(line);
        if (!settles_later) return status::ok;
        pending.push_back(&c);
        return status::pending;
    }
    void free_batch(void* b) override { freed.push_back(static_cast<batch*>(b)->text); }
    void lanes_done(std::uint64_t token) override { tokens.push_back(token); }
    void cancel(call& c) override { cancelled.push_back(&c); }
    status close(call&) override { return status::ok; }
    void listen(event_sink*) override {}

    struct batch {
        std::string text;
        std::vector<message> messages;
    };
    std::deque<std::string> script;
    std::list<batch> batches;
    receive_call* waiting = nullptr;
    int receives = 0;
    bool settles_later = false;
    settle_result outcome_of_settle = settle_result::ok;
    std::vector<settle_call*> pending;
    words settled, freed;
    std::vector<std::uint64_t> tokens;
    std::vector<call*> cancelled;
};

struct input_side {
    input_side() : stage(inner, std::make_unique<by_letter>(), box, {log, "by_letter", "r", "input"}) {
        upper.max_messages = 100;
        upper.done = [](call& c, status s) noexcept { static_cast<upper_receive&>(c).answers.push_back(s); };
    }
    struct upper_receive : receive_call {
        std::vector<status> answers;
    };
    status receive() { return stage.receive(upper); }
    std::string letters() const {
        std::string out;
        for (std::uint32_t i = 0; i < upper.messages.count; ++i) out += upper.messages.copy(i).payload.text();
        return out;
    }
    std::string settle(void* batch, std::vector<std::uint32_t> indexes, disposition what = disposition::ack) {
        std::vector<settle_entry> entries;
        for (std::uint32_t i : indexes) {
            settle_entry& e = entries.emplace_back();
            e.index = i;
            e.what = what;
        }
        std::vector<outcome> outcomes(entries.size());
        settle_call c;
        c.batch = batch;
        c.entries = list<const settle_entry>{std::span<const settle_entry>{entries}};
        c.outcomes = list<outcome>{std::span<outcome>{outcomes}};
        if (stage.settle(c) != status::ok) return "refused";
        std::string out;
        for (const outcome& o : outcomes) out += "rog"[o.result];
        return out;
    }
    mailbox box;
    lines log;
    letter_source inner;
    stage_consumer stage;
    upper_receive upper;
};

}  // namespace

TEST_CASE("an output stage gives on a send that it does not change as it is") {
    output_side s;
    named_send x{"ab"};
    CHECK(s.stage.send(x) == status::pending);
    REQUIRE(s.inner.pending.size() == 1);
    CHECK(s.inner.pending.front() == &x);
    s.inner.answer("da");
    CHECK(x.results() == "da");
    s.stage.cancel(x);
    CHECK(s.inner.cancelled == std::vector<call*>{&x});
}

TEST_CASE("an output stage sends what is left, and every message has its own outcome and text") {
    output_side s;
    named_send x{"afbrcx"};
    CHECK(s.stage.send(x) == status::pending);
    CHECK(s.inner.log == words{"abC"});
    s.inner.answer("dra");
    CHECK(x.answers == std::vector{status::ok});
    CHECK(x.results() == "dfrrad");  // a, f, b, r, c, x
    CHECK(x.outcomes[5].number == static_cast<std::uint64_t>(became::discarded));
    CHECK(x.texts.of(2) == "no r");
    CHECK(x.texts.of(3) == "by_letter: no good");
    CHECK(x.texts.of(4) == "no a");
    CHECK(x.texts.of(0).empty());
    CHECK(s.log.all == words{"r output by_letter: no good; the message is discarded, and others will only be counted"});
    named_send y{"xx"};
    CHECK(s.send(y) == "dd");
    CHECK(s.log.all.size() == 1);
}

TEST_CASE("an output stage sends nothing where nothing is left: that would be a flush") {
    output_side s;
    named_send x{"fr"};
    CHECK(s.send(x) == "fr");
    CHECK(x.answers == std::vector{status::ok});
    CHECK(s.inner.log.empty());
    named_send flush{""};
    CHECK(s.stage.send(flush) == status::pending);
    CHECK(s.inner.log == words{""});
}

TEST_CASE("an output stage passes on the status of a connection, its text, and a cancel") {
    output_side s;
    named_send x{"af"};
    CHECK(s.stage.send(x) == status::pending);
    s.stage.cancel(x);
    REQUIRE(s.inner.cancelled.size() == 1);
    CHECK(s.inner.cancelled.front() == s.inner.pending.front());
    s.inner.pending.front()->texts.set(whole_call, "gone");
    s.inner.answer("u", status::disconnected);
    CHECK(x.answers == std::vector{status::disconnected});
    CHECK(x.results() == "uf");
    CHECK(x.texts.of(whole_call) == "gone");
}

TEST_CASE("responses through an output stage belong to the message that the caller has sent") {
    output_side s;
    struct asking : named_send {
        using named_send::named_send;
        words responses;
    } x{"fafb"};
    x.answer = [](send_call& self, std::uint32_t index, const message& response) {
        static_cast<asking&>(self).responses.push_back(std::to_string(index) + std::string{response.payload.text()});
    };
    CHECK(s.stage.send(x) == status::pending);
    send_call& below = *s.inner.pending.front();
    const std::string text = "yes";
    message response;
    response.payload = {reinterpret_cast<const std::uint8_t*>(text.data()), text.size(), nullptr};
    below.answer(below, 1, response);
    below.answer(below, 0, response);
    below.answer(below, 2, response);  // there is none
    s.inner.answer("dd");
    CHECK(x.responses == words{"3yes", "1yes"});
    CHECK(x.results() == "fdfd");
}

TEST_CASE("an input stage settles at once what goes no further, and numbers the others anew") {
    input_side s;
    s.inner.script = {"afbrcx"};
    CHECK(s.receive() == status::ok);
    CHECK(s.letters() == "abC");
    CHECK(s.inner.settled == words{"f(filtered) rj(by_letter: no good) x(discarded)"});
    CHECK(s.log.all == words{"r input by_letter: no good; the message is discarded, and others will only be counted"});
    void* const batch = s.upper.batch;
    CHECK(s.settle(batch, {2, 0}) == "oo");
    CHECK(s.settle(batch, {1}, disposition::nack) == "o");
    CHECK(s.inner.settled.back() == "bn");
    CHECK(s.inner.settled[1] == "c a");
    CHECK(s.settle(batch, {3}) == "o");  // what the inner side says of what is none
    CHECK(s.inner.settled.back() == "?");
    CHECK(s.inner.freed.empty());
    s.stage.free_batch(batch);
    CHECK(s.inner.freed == words{"afbrcx"});
    s.stage.free_batch(batch);
    CHECK(s.settle(batch, {0}) == "refused");
    CHECK(s.inner.freed.size() == 1);
}

TEST_CASE("an input stage of which nothing is left goes on with the next batch, and lets others have their turn") {
    input_side s;
    for (int i = 0; i < 40; ++i) s.inner.script.push_back("ff");
    s.inner.script.push_back("fa");
    CHECK(s.receive() == status::pending);
    CHECK(s.inner.receives == 16);
    int turns = 0;
    while (s.upper.answers.empty() && ++turns < 10) CHECK(s.box.deliver_all());
    CHECK(turns == 2);
    CHECK(s.upper.answers == std::vector{status::ok});
    CHECK(s.letters() == "a");
    CHECK(s.inner.freed.size() == 40);
    CHECK(s.inner.settled.size() == 41);
    s.stage.free_batch(s.upper.batch);
    CHECK(s.inner.freed.size() == 41);
}

TEST_CASE("an input stage that waits goes on when a batch comes, ends with its source, and passes on a cancel") {
    input_side s;
    CHECK(s.receive() == status::pending);
    s.inner.come("ff");
    CHECK(s.upper.answers.empty());
    CHECK(s.inner.receives == 2);
    s.inner.come("b");
    CHECK(s.upper.answers == std::vector{status::ok});
    CHECK(s.letters() == "b");
    s.stage.free_batch(s.upper.batch);
    s.inner.script = {""};
    CHECK(s.receive() == status::ok);
    CHECK(s.upper.batch == nullptr);
    CHECK(s.receive() == status::pending);
    s.stage.cancel(s.upper);
    CHECK(s.inner.cancelled == std::vector<call*>{s.inner.waiting});
    s.inner.waiting->done(*s.inner.waiting, status::cancelled);
    CHECK(s.upper.answers.back() == status::cancelled);
    s.inner.script = {"ff", "end"};
    CHECK(s.receive() == status::end);
    CHECK(s.upper.batch == nullptr);
}

TEST_CASE("an input stage that has given others their turn is cancelled there") {
    input_side s;
    for (int i = 0; i < 20; ++i) s.inner.script.push_back("f");
    CHECK(s.receive() == status::pending);
    s.stage.cancel(s.upper);
    CHECK(s.upper.answers.empty());
    CHECK(s.box.deliver_all());
    CHECK(s.upper.answers == std::vector{status::cancelled});
    CHECK(s.inner.script.size() == 4);
    CHECK(s.inner.freed.size() == 16);
    s.inner.script = {"a"};
    CHECK(s.receive() == status::ok);
    s.stage.free_batch(s.upper.batch);
}

TEST_CASE("an input stage of which nothing is left asks for nothing more once it was cancelled, also where the source had something") {
    input_side s;
    CHECK(s.receive() == status::pending);
    s.stage.cancel(s.upper);
    s.inner.come("ff");
    CHECK(s.upper.answers == std::vector{status::cancelled});
    CHECK(s.inner.receives == 1);
    CHECK(s.inner.freed == words{"ff"});
    CHECK(s.receive() == status::pending);
    s.stage.cancel(s.upper);
    s.inner.come("fa");
    CHECK(s.upper.answers.back() == status::ok);
    CHECK(s.letters() == "a");
    s.stage.free_batch(s.upper.batch);
}

TEST_CASE("an input stage reads on no further than a few batches whose settlements are not answered") {
    input_side s;
    s.inner.settles_later = true;
    for (int i = 0; i < 10; ++i) s.inner.script.push_back("f");
    s.inner.script.push_back("a");
    CHECK(s.receive() == status::pending);
    CHECK(s.inner.receives == 4);
    CHECK_FALSE(s.box.deliver_all());
    for (std::size_t i = 0; s.upper.answers.empty(); ++i) {
        REQUIRE(i < s.inner.pending.size());
        s.inner.pending[i]->done(*s.inner.pending[i], status::ok);
        while (s.box.deliver_all()) {}
        CHECK(s.inner.pending.size() - i <= 5);
    }
    CHECK(s.letters() == "a");
    CHECK(s.inner.receives == 11);
    s.stage.free_batch(s.upper.batch);
    // Cancelled while it waits for them.
    input_side c;
    c.inner.settles_later = true;
    for (int i = 0; i < 10; ++i) c.inner.script.push_back("f");
    CHECK(c.receive() == status::pending);
    c.stage.cancel(c.upper);
    while (c.box.deliver_all()) {}
    CHECK(c.upper.answers == std::vector{status::cancelled});
    CHECK(c.inner.receives == 4);
    CHECK(c.inner.cancelled.empty());
    call end;
    end.done = [](call&, status) noexcept {};
    CHECK(c.stage.close(end) == status::pending);
    c.stage.cancel(end);
    CHECK(c.inner.cancelled.size() == 4);
    for (settle_call* pending : c.inner.pending) pending->done(*pending, status::cancelled);
    CHECK(c.stage.close(end) == status::ok);
}

TEST_CASE("what an input stage settles by itself may be answered later: the batch is freed after that, and a close waits for it") {
    input_side s;
    s.inner.settles_later = true;
    s.inner.script = {"fa"};
    CHECK(s.receive() == status::ok);
    s.stage.free_batch(s.upper.batch);
    CHECK(s.inner.freed.empty());
    struct closing : call {
        std::vector<status> answers;
    } end;
    end.done = [](call& c, status answer) noexcept { static_cast<closing&>(c).answers.push_back(answer); };
    CHECK(s.stage.close(end) == status::pending);
    REQUIRE(s.inner.pending.size() == 1);
    s.inner.pending[0]->done(*s.inner.pending[0], status::ok);
    CHECK(s.inner.freed == words{"fa"});
    CHECK(end.answers == std::vector{status::ok});
    CHECK(s.log.all.empty());
    CHECK(s.stage.close(end) == status::ok);
}

TEST_CASE("a settlement of an input stage that is not accepted is told, and the message comes again") {
    input_side s;
    s.inner.outcome_of_settle = settle_result::retry;
    s.inner.script = {"f", "a"};
    CHECK(s.receive() == status::ok);
    CHECK(s.log.all == words{"r input by_letter: a settlement was not accepted"});
    CHECK(s.inner.freed == words{"f"});
    s.stage.free_batch(s.upper.batch);
    s.stage.lanes_done(7);
    CHECK(s.inner.tokens == std::vector<std::uint64_t>{7});
}
