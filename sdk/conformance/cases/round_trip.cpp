// Cases of the way from the publisher to the consumer of the same plugin.
#include "../catalog.hpp"

#include <mqb/metadata.h>

#include <cstring>

namespace mqb::conformance::cases {
namespace {
void must_round_trip(stage& s) {
    if (!s.round_trips()) skip(s.has_consumer() && s.has_publisher() ? "conformance.json: round_trip is false" : "one side only");
}
// Sends these and gives what came, in order.
std::vector<received> sent_and_received(stage& s, const std::vector<letter>& letters) {
    must_round_trip(s);
    consumer* c = s.q().consumer_first || s.q().sends_wait_for_consumer ? &s.open_consumer() : nullptr;
    s.feed(letters, c != nullptr);  // what is large may be sent only while it is read
    if (!c) c = &s.open_consumer();
    std::vector<received> out;
    for (batch& b : c->collect(letters.size(), s.q().patience)) {
        for (received& m : b.messages) out.push_back(m);
        c->settle_all(b);
        c->free_batch(b);
    }
    require(out.size() == letters.size(), rules::receive,
            std::to_string(out.size()) + " of " + std::to_string(letters.size()) + " messages came");
    return out;
}
std::string shown(const std::optional<std::string>& p) {
    if (!p) return "null";
    return std::to_string(p->size()) + " bytes" + (p->size() <= 40 ? " \"" + *p + "\"" : "");
}
void same_payload(const letter& want, const received& got, const std::string& what) {
    require(want.payload == got.what.payload, rules::receive,
            what + " came as " + shown(got.what.payload) + ", sent as " + shown(want.payload));
}
std::vector<std::pair<int, std::string>> entries_of(const std::string& block, const std::string& key) {
    const mqb_buffer b{reinterpret_cast<const std::uint8_t*>(block.data()), block.size(), nullptr};
    std::vector<std::pair<int, std::string>> out;
    std::size_t at = 0;
    mqb_meta m;
    while (mqb_meta_next(&b, &at, &m) == 1)
        if (as_string(m.key) == key) out.emplace_back(m.type, as_string(m.value));
    return out;
}
}  // namespace

void round_trip(stage& s) {
    must_round_trip(s);
    std::vector<letter> letters = {s.next_letter(), s.next_letter()};
    std::string all;
    for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
    if (s.q().keeps_binary && !s.q().json_payload) letters.push_back({all, "", uuid_of(77)});
    if (!s.q().json_payload) letters.push_back({"Zoë, \"quoted\"; ü", "", uuid_of(78)});
    const auto got = sent_and_received(s, letters);
    std::map<std::string, const received*> by_payload;
    for (const received& m : got) by_payload[m.what.payload.value_or("(null)")] = &m;
    for (std::size_t i = 0; i < letters.size(); ++i) {
        auto it = by_payload.find(*letters[i].payload);
        if (it == by_payload.end())
            same_payload(letters[i], got[i], "message " + std::to_string(i));
        else if (s.q().keeps_id)
            require(it->second->what.id == letters[i].id, rules::receive, "the id of message " + std::to_string(i) + " did not arrive");
    }
}

void round_trip_null(stage& s) {
    must_round_trip(s);
    if (!s.q().keeps_null && !s.q().keeps_empty) skip("conformance.json: neither null nor empty payloads are kept");
    for (const bool null : {true, false}) {
        if (null ? !s.q().keeps_null : !s.q().keeps_empty) continue;
        letter l = s.next_letter();
        if (null)
            l.payload = std::nullopt;
        else
            l.payload = "";
        consumer* first = s.q().consumer_first ? &s.open_consumer() : nullptr;
        s.feed({l});
        consumer& c = first ? *first : s.open_consumer();
        auto b = c.receive(s.q().patience);
        require(b.has_value(), rules::receive,
                null ? "a message with a null payload did not come" : "a message with an empty payload did not come");
        same_payload(l, b->messages[0], null ? "the null payload" : "the empty payload");
        c.settle_all(*b);
        c.close();
    }
}

void round_trip_large(stage& s) {
    must_round_trip(s);
    std::string large = s.q().json_payload ? "\"" : "";
    for (std::uint32_t i = 0; large.size() < std::min<std::uint64_t>(s.q().max_payload, 1 << 20) - 1; ++i)
        large += s.q().keeps_binary && !s.q().json_payload ? static_cast<char>(i * 2654435761u >> 24) : static_cast<char>('a' + i % 26);
    large += s.q().json_payload ? '"' : 'z';
    const letter l{large, "", uuid_of(1)};
    const auto got = sent_and_received(s, {l});
    same_payload(l, got[0], "the large payload");
}

void round_trip_metadata(stage& s) {
    must_round_trip(s);
    if (!s.q().keeps_metadata) skip("conformance.json: keeps_metadata is false");
    letter l = s.next_letter();
    const std::string eight("\x01\x02\x03\x04\x05\x06\x07\x7f", 8),
        time = eight + std::string("\x00\xca\x9a\x3a", 4).replace(0, 4, std::string("\x15\xcd\x5b\x07", 4));
    double d = -0.5;
    std::string bits(8, '\0');
    std::memcpy(bits.data(), &d, 8);
    std::vector<std::pair<std::string, std::vector<std::pair<int, std::string>>>> want = {{"kit_text", {{MQB_META_TEXT, "Zoë ; = \""}}},
                                                                                          {"kit_empty", {{MQB_META_TEXT, ""}}}};
    if (s.q().keeps_types) {
        want.push_back({"kit_null", {{MQB_META_NULL, ""}}});
        want.push_back({"kit_bytes", {{MQB_META_BYTES, std::string("\0\xff\x01\n", 4)}}});
        want.push_back({"kit_bool", {{MQB_META_BOOL, std::string("\x01", 1)}}});
        want.push_back({"kit_int", {{MQB_META_INT, eight}}});
        want.push_back({"kit_double", {{MQB_META_DOUBLE, bits}}});
        want.push_back({"kit_time", {{MQB_META_TIME, std::string("\x00\x94\x35\x77\x00\x00\x00\x00\x15\xcd\x5b\x07", 12)}}});
        want.push_back({"kit_json", {{MQB_META_JSON, "{\"a\":[1,null]}"}}});
    }
    if (s.q().keeps_repeated) want.push_back({"kit_twice", {{MQB_META_TEXT, "first"}, {MQB_META_TEXT, "second"}}});
    for (const auto& [key, values] : want)
        for (const auto& [type, value] : values) l.metadata += meta_entry(type, key, value);
    const auto got = sent_and_received(s, {l});
    for (const auto& [key, values] : want)
        require(entries_of(got[0].what.metadata, key) == values, rules::metadata,
                "metadata \"" + key + "\" did not come as it was sent; what came: " + block_as_text(got[0].what.metadata));
}

void ordered(stage& s) {
    must_round_trip(s);
    if (!s.q().keeps_order) skip("conformance.json: keeps_order is false");
    publisher& p = s.make_publisher();
    if (!p.promises_to(MQB_ORDERED)) skip("ORDERED is not promised");
    consumer* c = s.q().consumer_first || s.q().sends_wait_for_consumer ? &s.open_consumer() : nullptr;
    p.connect();
    std::vector<std::string> want;
    std::vector<sending> flying;
    const int sends = 5;
    for (int i = 0; i < sends; ++i) {
        std::vector<letter> letters;
        for (std::uint32_t k = 0; k < std::max<std::uint32_t>(1, std::min<std::uint32_t>(4, s.q().feed / sends)); ++k) {
            letters.push_back(s.next_letter());
            want.push_back(*letters.back().payload);
        }
        flying.push_back(p.start_send(letters));
        if (!p.promises_to(MQB_CONCURRENT) && !p.promises_to(MQB_ORDERED_RETRY)) p.finish(flying.back(), s.q().patience), flying.pop_back();
    }
    const auto finish_all = [&] {
        for (sending& x : flying) p.finish(x, s.q().patience);
        p.flush();
    };
    if (!s.q().sends_wait_for_consumer) finish_all();
    if (!c) c = &s.open_consumer();
    auto got = c->collect(want.size(), s.q().patience, 3);
    for (batch& b : got) c->settle_all(b);
    if (s.q().sends_wait_for_consumer) finish_all();
    const auto came = payloads_of(got);
    require(came.size() == want.size(), rules::receive,
            std::to_string(came.size()) + " of " + std::to_string(want.size()) + " messages came");
    for (std::size_t i = 0; i < want.size(); ++i)
        require(came[i] == want[i], rules::promised,
                "ORDERED: at place " + std::to_string(i) + " came \"" + came[i] + "\", sent was \"" + want[i] + "\"");
}

void idempotent(stage& s) {
    must_round_trip(s);
    publisher& p = s.make_publisher();
    if (!p.promises_to(MQB_IDEMPOTENT)) skip("IDEMPOTENT is not promised");
    p.connect();
    const std::vector<letter> letters = {s.next_letter(), s.next_letter()};
    p.deliver(letters);
    p.deliver(letters);
    p.flush();
    consumer& c = s.open_consumer();
    auto got = c.collect(2, s.q().patience);
    for (const batch& more : c.collect(1, s.q().quiet)) got.push_back(more);
    for (batch& b : got) c.settle_all(b);
    require(count_of(got) == 2, rules::promised, "IDEMPOTENT: two messages sent twice came as " + std::to_string(count_of(got)));
}

}  // namespace mqb::conformance::cases
