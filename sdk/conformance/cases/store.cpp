// Cases of stores.
#include "../store.hpp"
#include "../catalog.hpp"

namespace mqb::conformance::cases {
namespace {
std::unique_ptr<store> opened(stage& s) {
    auto st = std::make_unique<store>(s.recipe_for(0));
    st->connect();
    return st;
}
void expect(const store_answer& a, std::int32_t result, const std::string& what) {
    require(a.outcomes.at(0).result == result, rules::store,
            what + " got outcome " + std::to_string(a.outcomes[0].result) + ", not " + std::to_string(result));
}
}  // namespace

void store_values(stage& s) {
    auto st = opened(s);
    std::string binary;
    for (int i = 0; i < 256; ++i) binary += static_cast<char>(i);
    expect(st->apply({MQB_GET, "nobody"}), MQB_STORE_ABSENT, "GET of an absent key");
    expect(st->apply({MQB_PUT, binary, "value of bytes"}), MQB_STORE_OK, "PUT");
    store_answer a = st->apply({MQB_GET, binary});
    expect(a, MQB_STORE_OK, "GET");
    require(a.found.size() == 1 && a.found[0].value == "value of bytes", rules::store, "GET did not find what PUT stored");
    st->apply({{MQB_PUT, "a", "1"}, {MQB_PUT, "b", ""}, {MQB_PUT, "c", std::string(100000, 'x')}});
    a = st->apply({{MQB_GET, "a"}, {MQB_GET, "b"}, {MQB_GET, "c"}});
    require(a.found.size() == 3, rules::store, "a batch of three GETs found " + std::to_string(a.found.size()));
    for (const found_value& f : a.found)
        require(f.value.size() == (f.index == 0 ? 1u : f.index == 1 ? 0u : 100000u), rules::store, "GET gave a value of another entry");
    expect(st->apply({MQB_DELETE, "a"}), MQB_STORE_OK, "DELETE");
    expect(st->apply({MQB_GET, "a"}), MQB_STORE_ABSENT, "GET after DELETE");
    st->close();
}

void store_conditions(stage& s) {
    auto st = opened(s);
    store_answer a = st->apply({MQB_PUT, "k", "one", MQB_IF_ABSENT});
    expect(a, MQB_STORE_OK, "PUT IF_ABSENT of an absent key");
    const std::uint64_t first = a.outcomes[0].number;
    expect(st->apply({MQB_PUT, "k", "two", MQB_IF_ABSENT}), MQB_STORE_CONFLICT, "PUT IF_ABSENT of a present key");
    a = st->apply({MQB_PUT, "k", "three", MQB_IF_VERSION, first});
    expect(a, MQB_STORE_OK, "PUT IF_VERSION with the version");
    require(a.outcomes[0].number != first, rules::store, "the version did not change");
    expect(st->apply({MQB_PUT, "k", "four", MQB_IF_VERSION, first}), MQB_STORE_CONFLICT, "PUT IF_VERSION with an old version");
    expect(st->apply({MQB_DELETE, "k", "", MQB_IF_VERSION, first}), MQB_STORE_CONFLICT, "DELETE IF_VERSION with an old version");
    a = st->apply({MQB_GET, "k"});
    require(a.found.size() == 1 && a.found[0].value == "three", rules::store, "a refused PUT had an effect");
    st->close();
}

void store_expiry(stage& s) {
    auto st = opened(s);
    const auto ns = [](auto d) { return static_cast<std::uint64_t>(d / 1ns); };
    st->apply(
        {{MQB_PUT, "short", "x", MQB_ALWAYS, 0, ns(100ms)}, {MQB_PUT, "renewed", "x", MQB_ALWAYS, 0, ns(100ms)}, {MQB_PUT, "ever", "x"}});
    expect(st->apply({MQB_RENEW, "renewed", "", MQB_ALWAYS, 0, ns(1h)}), MQB_STORE_OK, "RENEW");
    const store_answer seen = st->apply({MQB_GET, "renewed"});
    require(seen.found.size() == 1 && seen.found[0].expires_in_ns > ns(1min), rules::store, "RENEW did not change the expiry");
    std::this_thread::sleep_for(250ms);
    expect(st->apply({MQB_GET, "short"}), MQB_STORE_ABSENT, "GET of an expired key");
    expect(st->apply({MQB_GET, "renewed"}), MQB_STORE_OK, "GET of a renewed key");
    expect(st->apply({MQB_GET, "ever"}), MQB_STORE_OK, "GET of a key without expiry");
    expect(st->apply({MQB_PUT, "short", "y", MQB_IF_ABSENT}), MQB_STORE_OK, "PUT IF_ABSENT of an expired key");
    expect(st->apply({MQB_RENEW, "nobody", "", MQB_ALWAYS, 0, ns(1h)}), MQB_STORE_ABSENT, "RENEW of an absent key");
    st->close();
}

void store_scan(stage& s) {
    auto st = opened(s);
    for (int i = 9; i >= 0; --i)
        st->apply({{MQB_PUT, "scan/" + std::to_string(i), std::to_string(i)}, {MQB_PUT, "other/" + std::to_string(i), "x"}});
    std::vector<std::string> keys;
    for (std::string after; keys.size() < 20;) {
        const store_answer a = st->apply({MQB_SCAN, "scan/", after, MQB_ALWAYS, 0, 0, 4});
        require(a.found.size() <= 4, rules::store, "SCAN gave more than its limit");
        if (a.found.empty()) break;
        for (const found_value& f : a.found) keys.push_back(f.key);
        after = keys.back();
    }
    require(keys.size() == 10, rules::store, "SCAN in steps gave " + std::to_string(keys.size()) + " keys, not 10");
    require(std::is_sorted(keys.begin(), keys.end()), rules::store, "SCAN gave keys out of order");
    st->close();
}

}  // namespace mqb::conformance::cases
