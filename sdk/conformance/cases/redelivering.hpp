// Redelivering: what the cases of settle and of redelivery share.
#pragma once
#include "../catalog.hpp"

namespace mqb::conformance::cases {

inline consumer& acknowledging(stage& s, std::uint32_t n) {
    consumer& c = s.source_with(n);
    if (!c.slots().settle) skip("the consumer acknowledges nothing");
    return c;
}
// Messages that are waited for; skips when the source gives none of itself.
inline std::vector<batch> got_from(stage& s, consumer& c, std::uint32_t n) {
    auto got = c.collect(std::min(n, s.q().feed), s.q().patience);
    if (!s.can_feed() && got.empty()) skip("nothing came");
    if (s.can_feed())
        require(count_of(got) >= std::min(n, s.q().feed), rules::receive,
                std::to_string(count_of(got)) + " of " + std::to_string(n) + " messages came");
    return got;
}
inline void must_redeliver(stage& s, consumer& c) {
    if (!c.acknowledges()) skip("ACKNOWLEDGES is not promised");
    if (!s.can_feed()) skip("the kit cannot put anything to the source");
    if (!s.q().redelivers) skip("conformance.json: redelivers is false");
}
// n messages, of two lanes in turn where the kit chooses.
inline std::vector<letter> letters_of_two_lanes(stage& s, std::uint32_t n) {
    std::vector<letter> out;
    for (std::uint32_t i = 0; i < n; ++i) {
        out.push_back(s.next_letter());
        out.back().metadata += meta_text("key", i % 2 ? "odd" : "even");
        out.back().lane = 1 + i % 2;
    }
    return out;
}
inline void feed_two_lanes(stage& s, std::uint32_t n) {
    if (s.round_trips())
        s.feed(letters_of_two_lanes(s, n));
    else
        s.feed(n);
}
inline std::multiset<std::string> as_set(const std::vector<batch>& b) {
    const auto p = payloads_of(b);
    return {p.begin(), p.end()};
}
inline std::string difference(const std::multiset<std::string>& want, const std::multiset<std::string>& got) {
    for (const auto& p : want)
        if (got.count(p) < want.count(p)) return "\"" + p.substr(0, 60) + "\" did not come again";
    for (const auto& p : got)
        if (got.count(p) > want.count(p)) return "\"" + p.substr(0, 60) + "\" came, though it had been settled or came before";
    return {};
}

}  // namespace mqb::conformance::cases
