// The ledger against a plain model: whatever is answered and whenever it ends, each message has one fate and nothing is left behind.
#include "core/ledger_policy_test.hpp"
#include "core/middlewares/metadata_edit.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

using namespace mqb::core;

namespace {

// A source that checks what it is given: per message one recorded fate, prefixes in order, batches whole.
struct world {
    world(settle_unit u, std::uint32_t seed, bool takes_back)
        : unit(u), rng(seed), b(u, bit(disposition::ack) | (takes_back ? bit(disposition::nack) : 0u)) {
        b.leaf->at_once = false;
        b.policy.max_deliveries = 3;
        b.book->set_policy(b.policy);
    }
    std::uint32_t upto(std::size_t n) { return std::uniform_int_distribution<std::uint32_t>{0, static_cast<std::uint32_t>(n - 1)}(rng); }

    struct held {
        void* handle;
        std::vector<std::uint32_t> left;  // indexes that were not settled
    };

    void hold() {
        if (!b.upper.batch || b.upper.messages.empty()) return;
        held h{b.upper.batch, {}};
        for (std::uint32_t i = 0; i < b.upper.messages.count; ++i) {
            CHECK_FALSE(is_broken_record(b.upper.messages[i]));
            h.left.push_back(i);
        }
        above.push_back(std::move(h));
    }

    void receive() {
        if (receiving) return;
        b.upper.answers.clear();
        b.upper.batch = nullptr;
        b.upper.messages = {};
        if (b.book->receive(b.upper) == status::ok) return hold();
        receiving = true;
        if (stopping) return;
        auto& messages = b.arrays.emplace_back(1 + upto(4));
        for (message& m : messages) {
            m.lane = 10 * generation + 1 + upto(2);
            m.id[0] = static_cast<std::uint8_t>(++made);
            m.id[1] = static_cast<std::uint8_t>(made >> 8);
            m.id[2] = 1;
            if (upto(8) == 0) m.metadata = broken.get();
        }
        receive_call& c = *b.leaf->receiving;
        c.messages = message_list{std::span<const message>{messages}};
        c.batch = &b.numbers.emplace_back(static_cast<int>(b.numbers.size()) + 1);
        receiving = false;
        c.done(c, status::ok);
        hold();
    }

    void settle() {
        if (above.empty()) return;
        const std::uint32_t at = upto(above.size());
        held& h = above[at];
        const std::uint32_t how_many = upto(h.left.size() + 1);
        std::shuffle(h.left.begin(), h.left.end(), rng);
        for (std::uint32_t k = 0; k < how_many; ++k) {
            constexpr std::array what{disposition::ack,  disposition::ack,    disposition::ack,
                                      disposition::nack, disposition::reject, disposition::reply};
            const disposition d = what[upto(what.size())];
            b.settle(h.handle, {h.left.back()}, d, d == disposition::nack && upto(3) == 0 ? given_back : std::string_view{});
            h.left.pop_back();
        }
        if (h.left.empty() || upto(6) == 0) {
            b.book->free_batch(h.handle);
            above.erase(above.begin() + at);
        }
    }

    // Answers one settle of the leaf.
    void answer() {
        std::vector<std::size_t> open;
        for (std::size_t n = 0; n < b.leaf->settles.size(); ++n)
            if (!answered.contains(n)) open.push_back(n);
        if (open.empty()) return;
        const std::size_t n = open[upto(open.size())];
        answered.insert(n);
        settle_call& c = *b.leaf->settles[n].call;
        const int batch = *static_cast<int*>(b.leaf->settles[n].batch);
        std::string letters;
        const char all = "ooorg"[upto(5)];
        for (std::uint32_t k = 0; k < c.entries.count; ++k) letters += unit == settle_unit::message ? "ooorg"[upto(5)] : all;
        if (unit == settle_unit::prefix) {  // ok as far as a random place of the call, then all the same
            const std::uint32_t good = upto(c.entries.count + 1);
            for (std::uint32_t k = 0; k < good; ++k) letters[k] = 'o';
        }
        for (std::uint32_t k = 0; k < c.entries.count; ++k) {
            CHECK_FALSE(recorded.contains({batch, c.entries[k].index}));
            if (letters[k] != 'r') recorded.insert({batch, c.entries[k].index});
        }
        b.leaf->answer(n, letters);
    }

    void bury() {
        std::vector<std::size_t> open;
        for (std::size_t n = 0; n < b.store.calls.size(); ++n)
            if (!buried.contains(n)) open.push_back(n);
        if (open.empty()) return;
        const std::size_t n = open[upto(open.size())];
        buried.insert(n);
        constexpr std::array answers{status::ok, status::ok, status::retry, status::cancelled};
        b.store.answer(n, answers[upto(answers.size())]);
    }

    void lanes() {
        if (ending) {
            if (std::ranges::find(b.leaf->done_tokens, token) == b.leaf->done_tokens.end()) b.leaf->sink->on_lanes_ended(token);
            ending = false;
            return;
        }
        const std::uint64_t names[] = {10 * generation + 1, 10 * generation + 2};
        ++generation;  // a lane that ended is never named again
        ending = true;
        b.leaf->sink->on_lanes_ending({names, 1 + upto(2)}, 0, ++token);
    }

    void time() {
        const std::uint64_t next = b.clock.next();
        if (next != UINT64_MAX) b.clock.advance_to(next);
        b.box.deliver_all();
    }

    void step() {
        switch (upto(12)) {
            case 0:
            case 1: receive(); break;
            case 2:
            case 3:
            case 4: settle(); break;
            case 5:
            case 6:
            case 7: answer(); break;
            case 8:
            case 9: bury(); break;
            case 10: time(); break;
            case 11:
                if (upto(4) == 0) lanes();
                break;
        }
    }

    void end() {
        stopping = true;
        b.book->stop_presenting();
        const std::uint32_t late = upto(3);
        if (late == 0) {
            b.book->return_waiting();
            b.book->give_up();
        }
        while (!above.empty()) {
            b.book->free_batch(above.back().handle);
            above.pop_back();
        }
        b.book->return_waiting();
        if (late == 1) b.book->give_up();
        for (int n = 0; n < 2000 && !(b.book->is_empty() && b.book->is_at_rest()); ++n) {
            answer();
            bury();
            if (late == 2 && n == 20) b.book->give_up();
            time();
        }
    }

    const settle_unit unit;
    std::mt19937 rng;
    const text_edit error{"mqb.error", "cut"};
    const counted_block broken = edited({}, {&error, 1});
    policy_bench b;
    std::vector<held> above;
    std::set<std::size_t> answered, buried;
    std::set<std::pair<int, std::uint32_t>> recorded;
    std::uint64_t generation = 0, token = 0;
    std::uint32_t made = 0;
    bool ending = false, receiving = false, stopping = false;
};

}  // namespace

TEST_CASE("whatever is answered, and whenever it ends: each message has one fate, and nothing is left") {
    for (settle_unit unit : {settle_unit::message, settle_unit::prefix, settle_unit::batch})
        for (std::uint32_t seed = 1; seed <= 400; ++seed) {
            CAPTURE(static_cast<int>(unit));
            CAPTURE(seed);
            world w{unit, seed, unit == settle_unit::message && seed % 2 == 0};
            for (int n = 0; n < 120; ++n) {
                w.step();
                REQUIRE_FALSE(w.b.counts().empty());
            }
            w.end();
            REQUIRE(w.b.book->is_empty());
            CHECK(w.b.counts().at(3) == 0);
            CHECK(w.b.counters.totals().received == w.made);
            CHECK(w.b.book->unrecorded() == 0);
            CHECK(w.b.book->bytes() == 0);
            std::vector<int> freed = w.b.leaf->freed;
            std::ranges::sort(freed);
            CHECK(std::ranges::adjacent_find(freed) == freed.end());
            CHECK(freed.size() == w.b.numbers.size());
        }
}
