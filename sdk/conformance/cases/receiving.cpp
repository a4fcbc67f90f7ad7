// Cases of receive: its answers, limits, cancel and end.
#include "../catalog.hpp"

#include <atomic>
#include <cstring>
#include <memory>

namespace mqb::conformance::cases {
namespace {
void must_have(const std::vector<batch>& got, std::size_t n, const rule& r) {
    require(count_of(got) >= n, r, std::to_string(count_of(got)) + " of " + std::to_string(n) + " messages came");
}
std::uint32_t some(stage& s, std::uint32_t n) { return std::min(n, s.q().feed); }

// Memory that was freed too early is used again here, so that it reads differently.
void use_freed_memory(const std::vector<received>& kept) {
    constexpr std::size_t enough = 8u << 20;
    std::vector<std::unique_ptr<std::uint8_t[]>> blocks;
    for (const received& m : kept) {
        const std::size_t size = m.raw.payload.size + m.raw.metadata.size + sizeof(mqb_owner) + 8;
        for (std::size_t all = 0; all < enough / kept.size(); all += size) {
            blocks.push_back(std::make_unique<std::uint8_t[]>(size));
            std::memset(blocks.back().get(), 0xA5, size);
        }
    }
}
}  // namespace

void receive(stage& s) {
    const std::uint32_t n = some(s, 10);
    consumer& c = s.source_with(n);
    auto got = c.collect(n, s.q().patience);
    if (!s.can_feed() && count_of(got) == 0) skip("nothing came, and the kit cannot put anything to the source (prepare)");
    if (s.can_feed()) must_have(got, n, rules::receive);
    s.require_exactly_fed(got, rules::receive);
    for (batch& b : got) {
        c.settle_all(b);
        c.free_batch(b);
    }
}

void receive_limits(stage& s) {
    const std::uint32_t n = some(s, 10);
    consumer& c = s.source_with(n);
    std::vector<batch> got;
    // One at a time, then bounded by bytes that one message exceeds, then three.
    for (const auto& [max, bytes] : {std::pair<std::uint32_t, std::uint64_t>{1, 0}, {100, 1}, {3, 0}, {100, 40}}) {
        operation& op = c.start_receive(max, bytes);
        if (!op.wait(s.q().patience)) {
            c.cancel(op.id());
            op.answer(s.q().patience);
        }
        auto b = c.take(op);
        if (!b) break;
        if (bytes == 1)
            require(b->size() == 1, rules::receive_limits,
                    "receive gave " + std::to_string(b->size()) + " messages where max_bytes 1 allows the first only");
        c.settle_all(*b);
        got.push_back(*b);
        c.free_batch(*b);
    }
    if (got.empty() && !s.can_feed()) skip("nothing came");
    must_have(got, s.can_feed() ? 1 : 0, rules::receive);
}

void receive_cancel(stage& s) {
    const std::uint32_t n = std::max<std::uint32_t>(some(s, 20), 1);
    const bool live = s.round_trips();
    consumer& c = live ? s.source_with(0) : s.source_with(n);
    std::thread feeder;
    std::exception_ptr broken;
    if (live) {
        publisher& p = s.open_publisher();
        std::vector<letter> letters;
        for (std::uint32_t i = 0; i < n; ++i) {
            letters.push_back(s.next_letter());
            s.fed.push_back(*letters.back().payload);
        }
        feeder = std::thread([&broken, &p, letters] {
            this_thread_is_the_kits();
            std::minstd_rand random(7);
            try {
                for (const letter& l : letters) {
                    p.deliver({l});
                    std::this_thread::sleep_for(std::chrono::microseconds(random() % 4000));
                }
                p.flush();
            } catch (...) { broken = std::current_exception(); }
        });
    }
    std::vector<batch> got;
    std::minstd_rand random(11);
    const auto until = std::chrono::steady_clock::now() + s.q().patience;
    int wins = 0, pending = 0;
    bool ended = false;
    const auto round = [&] {
        operation& op = c.start_receive(1 + static_cast<std::uint32_t>(random() % 4));
        if (!op.finished() || op.was_pending()) {
            ++pending;
            if (random() % 4) std::this_thread::sleep_for(std::chrono::microseconds(random() % 3000));
            c.cancel(unknown_operation);
            c.cancel(op.id());
            c.cancel(op.id());
        }
        op.answer(s.q().patience);
        wins += op.status() == MQB_CANCELLED;
        ended = op.status() == MQB_END;
        if (ended || op.status() == MQB_OK || op.status() == MQB_CANCELLED) return c.take(op);
        fail(rules::cancel, "a cancelled receive answered " + op.why());
    };
    try {
        for (int i = 0; (i < 60 || count_of(got) < n) && std::chrono::steady_clock::now() < until; ++i) {
            auto b = round();
            if (ended && !live) break;
            if (ended) std::this_thread::sleep_for(1ms);
            if (!b) continue;
            c.settle_all(*b);
            got.push_back(*b);
            c.free_batch(*b);
        }
    } catch (...) {
        if (feeder.joinable()) feeder.join();
        throw;
    }
    if (feeder.joinable()) feeder.join();
    if (broken) std::rethrow_exception(broken);
    // What is left comes without cancel.
    for (batch& b : c.collect(n - std::min<std::size_t>(count_of(got), n), s.q().quiet * 3)) got.push_back(b);
    s.require_exactly_fed(got, rules::receive);
    if (!pending) warn("no receive was pending, so that nothing could be cancelled");
}

void receive_then_free(stage& s) {
    if (s.about.prepare) s.feed(0);
    consumer& c = s.open_consumer();
    const auto threads = threads_now().size();
    operation& op = c.start_receive();
    std::this_thread::sleep_for(5ms);
    c.close();  // cancel, completion, free
    checkpoint();
    std::this_thread::sleep_for(s.q().quiet);
    checkpoint();
    require(op.finished(), rules::done_once, "the receive did not end");
    for (int wait = 0; wait < 100 && threads_now().size() > threads; ++wait) std::this_thread::sleep_for(10ms);
    if (!s.q().keeps_threads) require(threads_now().size() <= threads, rules::free_quiet, "more threads after free than before");
    for (int i = 0; i < 10; ++i) {  // and at many moments
        consumer& next = s.open_consumer();
        next.start_receive();
        if (i % 2) std::this_thread::sleep_for(std::chrono::microseconds(i * 150));
        next.close();
    }
    std::this_thread::sleep_for(s.q().quiet / 3);
}

void drain_end(stage& s) {
    const std::uint32_t n = some(s, 5);
    consumer& c = s.source_with(n);
    if (s.q().drain_waits_for_publisher) s.close_feeder();
    std::size_t got = 0;
    const auto until = std::chrono::steady_clock::now() + s.q().patience;
    for (bool ended = false; !ended;) {
        auto b = c.receive(s.q().patience, 100, &ended, true);
        if (b) {
            got += b->size();
            c.settle_all(*b);
            c.free_batch(*b);
        } else if (!ended) {
            fail(rules::drain, "receive with drain did not answer END within " + std::to_string(s.q().patience.count()) + " ms");
        }
        if (!s.can_feed() && std::chrono::steady_clock::now() > until) skip("the source feeds itself without an end");
    }
    if (s.can_feed()) require(got == n, rules::drain, "END came after " + std::to_string(got) + " of " + std::to_string(n) + " messages");
    bool again = false;
    c.receive(s.q().patience, 1, &again, true);
    require(again, rules::drain, "the second receive with drain on an empty source did not answer END");
}

void finite_end(stage& s) {
    const std::uint32_t n = some(s, 5);
    consumer& c = s.source_with(n);
    if (!c.promises_to(MQB_FINITE)) skip("FINITE is not promised");
    bool ended = false;
    std::size_t got = 0;
    for (int i = 0; i < 10000 && !ended; ++i) {
        auto b = c.receive(s.q().patience, 1000, &ended);
        if (!b) break;
        got += b->size();
        c.settle_all(*b);
        c.free_batch(*b);
    }
    require(ended, rules::promised, "FINITE is promised, and END did not come after " + std::to_string(got) + " messages");
    if (s.can_feed())
        require(got == n, rules::promised, "END came after " + std::to_string(got) + " of " + std::to_string(n) + " messages");
}

void payload_outlives(stage& s) {
    const std::uint32_t n = some(s, 3);
    consumer& c = s.source_with(n);
    auto got = c.collect(n, s.q().patience);
    if (count_of(got) == 0 && !s.can_feed()) skip("nothing came");
    must_have(got, s.can_feed() ? 1 : 0, rules::receive);
    std::vector<received> kept;
    for (batch& b : got) {
        for (received& m : b.messages)
            if (m.raw.payload.owner || m.raw.metadata.owner) {
                mqb_message_retain(&m.raw);
                kept.push_back(m);
            }
        c.settle_all(b);
        c.free_batch(b);
    }
    if (kept.empty()) skip("no payload has an owner");
    const auto compare = [&](const char* when) {
        use_freed_memory(kept);
        for (const received& m : kept) {
            if (!m.raw.payload.owner) continue;
            require(std::string(reinterpret_cast<const char*>(m.raw.payload.data), m.raw.payload.size) == m.what.payload.value_or(""),
                    rules::free_buffers, std::string("a retained payload has changed after ") + when);
        }
    };
    mark("reading a retained payload after free_batch");
    compare("free_batch");
    c.close();
    mark("reading a retained payload after free");
    compare("free");
    mark("releasing a retained payload after free");
    for (const received& m : kept) mqb_message_release(&m.raw);
    mark(nullptr);
}

}  // namespace mqb::conformance::cases
