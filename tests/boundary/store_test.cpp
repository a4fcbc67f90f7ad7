// The store table in both directions: a plugin's store behind the interface, and a store of the host behind the table.
#include "fakes.hpp"
#include "host/loading/lent_store.hpp"
#include "host/loading/plugin_store.hpp"
#include "route_side.hpp"

#include <doctest/doctest.h>

using namespace mqb;
using namespace mqb::boundary;
using core::status;

namespace {

struct applying : recorded<loading::store_call> {
    explicit applying(std::vector<loading::store_entry> e) : list_of_entries(std::move(e)), results(list_of_entries.size()) {
        entries = std::span<const loading::store_entry>{list_of_entries};
        outcomes = std::span<core::outcome>{results};
        found = [](loading::store_call& c, std::uint32_t index, std::string_view key, const core::buffer& value, std::uint64_t version,
                   std::uint64_t expires_in_ns) {
            static_cast<applying&>(c).seen.push_back(std::to_string(index) + " " + std::string{key} + "=" + std::string{value.text()} +
                                                     " v" + std::to_string(version) + " " + std::to_string(expires_in_ns));
        };
    }
    std::vector<loading::store_entry> list_of_entries;
    std::vector<core::outcome> results;
    std::vector<std::string> seen;
};

loading::store_entry entry(loading::store_verb verb, const char* key) {
    loading::store_entry e;
    e.verb = verb;
    e.key = {key, std::char_traits<char>::length(key)};
    return e;
}

// Finds every key under itself.
mqb_status echo(mqb_apply* a) {
    for (std::uint32_t i = 0; i < a->entries.count; ++i) {
        const mqb_store_entry* e = mqb_store_entry_at(&a->entries, i);
        const mqb_buffer value{reinterpret_cast<const std::uint8_t*>(e->key.data), e->key.size, nullptr};
        if (e->verb == MQB_GET) a->found(a, i, e->key, &value, 3, 9);
        mqb_outcome_at(&a->outcomes, i)->result = e->verb == MQB_GET ? MQB_STORE_OK : MQB_STORE_CONFLICT;
        mqb_outcome_at(&a->outcomes, i)->number = 3;
    }
    return MQB_OK;
}

}  // namespace

TEST_CASE("a plugin's store applies a batch: DONE at once, PENDING with what it found copied, errors with text") {
    route_side side;
    fake_store fake;
    loading::plugin_store store{make_instance(side), &fake.base, fake_store::table};
    store.listen(&side.events);
    recorded<core::call> connect;
    CHECK(store.connect(connect) == status::ok);

    fake.apply = &echo;
    applying now{{entry(loading::store_verb::get, "a"), entry(loading::store_verb::put, "b")}};
    CHECK(store.apply(now) == status::ok);
    CHECK(now.seen == std::vector<std::string>{"0 a=a v3 9"});
    CHECK(now.results[1].result == MQB_STORE_CONFLICT);
    CHECK(now.results[1].number == 3);

    mqb_apply* pending = nullptr;
    fake.apply = [&](mqb_apply* a) { return pending = a, MQB_PENDING; };
    applying later{{entry(loading::store_verb::get, "k")}};
    CHECK(store.apply(later) == status::pending);
    std::thread other([&] {
        std::string value = "borrowed";
        const mqb_buffer b{reinterpret_cast<const std::uint8_t*>(value.data()), value.size(), nullptr};
        pending->found(pending, 0, text("k"), &b, 1, 0);
        value.assign("########");
        mqb_outcome_at(&pending->outcomes, 0)->result = MQB_STORE_OK;
        pending->call.done(&pending->call, MQB_OK);
    });
    other.join();
    CHECK(later.seen.empty());
    side.box.deliver_all();
    CHECK(later.seen == std::vector<std::string>{"0 k=borrowed v1 0"});
    CHECK(later.completions == 1);

    fake.apply = [&](mqb_apply* a) {
        a->call.explain(&a->call, 0, text("full"));
        mqb_outcome_at(&a->outcomes, 0)->result = 50;
        return MQB_RETRY;
    };
    applying failing{{entry(loading::store_verb::put, "k")}};
    CHECK(store.apply(failing) == status::retry);
    CHECK(failing.results[0].result == MQB_STORE_NOT_DONE);
    side.box.deliver_all();
    CHECK(side.events.all == std::vector<std::string>{"misbehaviour fake.apply gave an entry a result that does not exist"});
    CHECK(close(side, store) == status::ok);
}

TEST_CASE("a store that is lent to a plugin answers through the same table") {
    route_side side;
    fake_store fake;
    fake.apply = &echo;
    auto outer = make_instance(side);
    loading::plugin_store inner{make_instance(side), &fake.base, fake_store::table};
    auto lent = std::make_unique<loading::lent_store>(outer->door(), inner);
    auto* handle = static_cast<mqb_store*>(lent->handle());
    CHECK(lent->kind() == 0);
    outer->lend("/store", std::move(lent));

    mqb_store_entry e{};
    e.verb = MQB_GET;
    e.key = text("key");
    mqb_outcome o{};
    static std::vector<std::string> seen;
    seen.clear();
    mqb_apply a{};
    a.call = {sizeof a, 0, 1, [](mqb_call*, mqb_status s) { seen.push_back("done " + std::to_string(s)); },
              [](mqb_call*, std::uint32_t, mqb_text) {}};
    a.entries = mqb_list_of(&e, 1, sizeof e);
    a.outcomes = mqb_list_of(&o, 1, sizeof o);
    a.found = [](mqb_apply*, std::uint32_t, mqb_text key, const mqb_buffer*, std::uint64_t, std::uint64_t) { seen.push_back(str(key)); };
    CHECK(handle->table->apply(handle, &a) == MQB_PENDING);  // from outside of any call: by mail
    side.box.deliver_all();
    CHECK(seen == std::vector<std::string>{"key", "done 0"});
    CHECK(o.result == MQB_STORE_OK);
    recorded<core::call> c;
    CHECK(outer->close(c, [] {}) == status::pending);
    CHECK(side.deliver_until([&] { return c.completions == 1; }));
    outer->let_go();
    CHECK(close(side, inner) == status::ok);
}
