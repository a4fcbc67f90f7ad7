// Cases of middlewares: the kit lends the inner side.
#include "../catalog.hpp"
#include "../lent.hpp"

namespace mqb::conformance::cases {
namespace {
constexpr std::size_t n = 30;

struct outer_consumer {
    lent_consumer& inner;
    std::unique_ptr<consumer> outer;
};
outer_consumer consumer_over(stage& s, answering how) {
    if (!s.has_consumer()) skip("no consumer side");
    lent_consumer& inner = lent_consumer::make(how);
    recipe r = s.recipe_for(MQB_SIDE_CONSUMER);
    r.children.insert(r.children.begin(), inner.child());
    r.inner = lent_consumer::promises();
    auto outer = std::make_unique<consumer>(std::move(r));
    inner.deliver_under(outer->serial());
    outer->connect();
    return {inner, std::move(outer)};
}
void put(stage& s, lent_consumer& inner) {
    for (std::size_t i = 0; i < n; ++i) {
        letter l = s.next_letter();
        s.fed.push_back(*l.payload);
        inner.put(l);
    }
}
void closed_well(lent_consumer& inner) {
    require(inner.batches_out() == 0, rules::free_batch,
            std::to_string(inner.batches_out()) + " inner batches were not freed when free had returned");
}
void nothing_lost(lent_consumer& inner, std::size_t settled) {
    require(inner.acknowledged() + inner.waiting() == n, rules::free_batch,
            "the inner side has " + std::to_string(inner.acknowledged()) + " messages acknowledged and " + std::to_string(inner.waiting()) +
                " back, of " + std::to_string(n));
    require(inner.acknowledged() >= settled, rules::settle,
            std::to_string(settled) + " messages were settled, the inner side was told of " + std::to_string(inner.acknowledged()));
}
}  // namespace

void middleware_consumer(stage& s) {
    for (answering how : {answering::at_once, answering::later}) {
        s.fed.clear();
        auto [inner, outer] = consumer_over(s, how);
        put(s, inner);
        inner.end();
        std::size_t got = 0;
        bool ended = false;
        while (!ended) {
            auto b = outer->receive(s.q().patience, 100, &ended);
            if (!b && !ended) break;
            if (!b) continue;
            got += b->size();
            outer->settle_all(*b);
            outer->free_batch(*b);
        }
        require(ended, rules::receive, "END of the inner side did not come through");
        if (s.q().passes) require(got == n, rules::receive, std::to_string(got) + " of " + std::to_string(n) + " messages came through");
        outer->close();
        closed_well(inner);
        nothing_lost(inner, s.q().passes ? got : 0);
        checkpoint();
    }
}

void middleware_publisher(stage& s) {
    if (!s.has_publisher()) skip("no publisher side");
    for (answering how : {answering::at_once, answering::later}) {
        lent_publisher& inner = lent_publisher::make(how);
        recipe r = s.recipe_for(MQB_SIDE_PUBLISHER);
        r.children.insert(r.children.begin(), inner.child());
        r.inner = lent_publisher::promises();
        publisher outer(std::move(r));
        inner.deliver_under(outer.serial());
        outer.connect();
        std::size_t before = 0;
        if (how == answering::later) {  // an answer says that nothing of the call is used any more
            inner.hold(true);
            sending x = outer.start_send({s.next_letter(), s.next_letter()});
            x.op->wait(s.q().quiet);
            require(!x.op->finished() || (!inner.uses(x.messages->list()) && !inner.uses(x.outcomes.list())), rules::borrowed,
                    "a middleware answered a send while its inner side still works on the messages of it");
            inner.hold(false);
            outer.finish(x, s.q().patience);
            before = 2;
        }
        for (lending l : {lending::counted, lending::borrowed})
            for (int i = 0; i < 3; ++i) {
                std::vector<letter> letters;
                for (std::size_t k = 0; k < n / 6; ++k) letters.push_back(s.next_letter());
                outer.deliver(letters, l);
            }
        outer.flush();
        if (s.q().passes)
            require(inner.sent().size() == before + n, rules::send,
                    std::to_string(inner.sent().size()) + " of " + std::to_string(before + n) + " messages were sent on");
        outer.close();
        checkpoint();
    }
}

void middleware_cancel(stage& s) {
    if (!s.q().passes) skip("conformance.json: passes is false");
    auto [inner, outer] = consumer_over(s, answering::later);
    std::minstd_rand random(5);
    std::size_t got = 0, cancelled = 0;
    put(s, inner);
    for (int i = 0; i < 400 && got < n; ++i) {
        operation& op = outer->start_receive(1 + static_cast<std::uint32_t>(random() % 3));
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 500));
        outer->cancel(unknown_operation);
        outer->cancel(op.id());
        outer->cancel(op.id());
        op.answer(s.q().patience);
        cancelled += op.status() == MQB_CANCELLED;
        auto b = outer->take(op);
        if (!b) continue;
        got += b->size();
        outer->settle_all(*b);
        outer->free_batch(*b);
    }
    require(got == n, rules::receive,
            std::to_string(got) + " of " + std::to_string(n) + " messages came through, " + std::to_string(cancelled) +
                " receives were cancelled");
    // Nothing is there: only the cancel can end it.
    operation& idle = outer->start_receive();
    outer->cancel(idle.id());
    idle.answer(s.q().patience);
    outer->close();
    closed_well(inner);
    nothing_lost(inner, got);
}

void middleware_free(stage& s) {
    for (answering how : {answering::at_once, answering::later}) {
        auto [inner, outer] = consumer_over(s, how);
        put(s, inner);
        auto b = outer->receive(s.q().patience, 4);
        if (b) {
            if (b->size() > 1 && outer->promises().settle_unit == MQB_UNIT_MESSAGE) outer->settle(*b, {{0}});
            outer->free_batch(*b);
        }
        outer->start_receive(3);
        std::this_thread::sleep_for(1ms);
        outer->close();
        closed_well(inner);
        nothing_lost(inner, 0);
        checkpoint();
    }
    std::this_thread::sleep_for(s.q().quiet);
}

}  // namespace mqb::conformance::cases
