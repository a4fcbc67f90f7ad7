#include "core/expressions/json_text.hpp"
#include "core/expressions/machine.hpp"

#include <algorithm>

namespace mqb::core::expressions {

void machine::read_payload(const node& n) {
    if (has_payload_) return;
    if (!of_ || of_->payload.is_null()) fail(n, "the message has no payload");
    const std::string_view wrong = work_.document.read(of_->payload.text());
    if (!wrong.empty()) fail(n, "the payload is not structured JSON: " + std::string{wrong});
    has_payload_ = true;
}

value machine::field(const node& n) {
    workspace::slot& slot = work_.fields[n.data];
    if (slot.evaluation == work_.evaluation) return slot.what;
    read_payload(n);
    slot.what = follow(n, code_.fields[n.data]);
    slot.evaluation = work_.evaluation;
    return slot.what;
}

value machine::metadata(const node& n) {
    workspace::slot& slot = work_.metadata[n.data];
    if (slot.evaluation == work_.evaluation) return slot.what;
    if (!of_) return {};
    spend(n, of_->metadata.size / 64);
    const std::string& key = code_.metadata[n.data];
    bool is_text = true;
    slot.what = metadata_value(of_->metadata, key, memory(), is_text);
    if (!is_text) fail(n, "the metadata \"" + key + "\" is nothing that an expression can read");
    slot.evaluation = work_.evaluation;
    return slot.what;
}

value machine::follow(const node& n, const path& p) {
    const json_document& document = work_.document;
    if (std::holds_alternative<std::string>(p.steps.front()) && !document.is_object(0))
        fail(n, "the payload is no structured JSON object, but of the type " + std::string{type_name(document.at(0).what)});
    std::uint32_t place = 0;
    for (const step& s : p.steps) {
        if (const auto* key = std::get_if<std::string>(&s)) {
            if (!document.is_object(place)) return {};
            place = place_of_member(n, place, *key);
        } else if (const auto index = std::get<std::uint32_t>(s); document.is_list(place)) {
            spend(n, document.extent(place) / 64);
            place = document.place_of_element(place, index);
        } else {
            // A character of a text has neither members nor elements but itself.
            value v = element_of(n, document.at(place), index);
            for (const step* more = &s + 1; more != p.steps.data() + p.steps.size(); ++more) {
                const auto* next = std::get_if<std::uint32_t>(more);
                v = next ? element_of(n, v, *next) : value{};
            }
            return v;
        }
        if (place == 0) return {};
    }
    return document.at(place);
}

std::uint32_t machine::place_of_member(const node& n, std::uint32_t object, std::string_view key) {
    spend(n, work_.document.extent(object) / 64 * (1 + key.size() / 64));
    return work_.document.place_of_member(object, key);
}

value machine::member_of(const node& n, const value& of, std::string_view key) {
    if (of.what == kind::raw_object) {
        const std::uint32_t place = place_of_member(n, of.at, key);
        return place == 0 ? value{} : work_.document.at(place);
    }
    if (of.what != kind::object) return {};
    const auto all = of.members_view();
    spend(n, all.size() / 16 * (1 + key.size() / 64));
    const auto found = std::ranges::find(all, key, &member::key);
    return found == all.end() ? value{} : found->what;
}

value machine::element_of(const node& n, const value& of, std::uint64_t index) {
    if (of.what == kind::raw_list) {
        spend(n, work_.document.extent(of.at) / 64);
        return work_.document.element_of(of.at, index);
    }
    if (of.what == kind::list) return index < of.items.size ? of.items.data[index] : value{};
    if (!of.is_text()) return {};
    const std::string_view text = text_of(of);
    spend(n, text.size() / 16);
    for (std::size_t at = 0; at < text.size(); --index) {
        const std::size_t from = at;
        (void)next_character(text, at);
        if (index == 0) return value::of(text.substr(from, at - from));
    }
    return {};
}

std::string_view machine::text_of(const value& text) {
    if (text.what != kind::raw_text) return text.view();
    const std::span<char> to = memory().array<char>(text.text.size);
    return {to.data(), unescape(text.view(), to.data())};
}

reading machine::read_number(const node& at, std::string_view text, decimal& out) {
    spend(at, text.size() / 16);
    return read_decimal(text, out);
}

decimal machine::number_of(const node& at, const value& number) {
    if (number.what == kind::number) return number.number;
    decimal d;
    if (read_number(at, number.view(), d) != reading::number)
        fail(at, "the number in \"" + described(at) + "\" has more than " + std::to_string(decimal::most_digits) +
                     " digits, or is out of range");
    return d;
}

std::span<const value> machine::elements_of(const node& at, const value& list) {
    if (list.what == kind::list) return list.elements_view();
    if (list.what == kind::raw_list) {
        if (lifted_ && lifted_at_ == list.at) return *lifted_;
        lifted_ = work_.document.elements_of(list.at, memory());
        lifted_at_ = list.at;
        spend(at, lifted_->size());
        return *lifted_;
    }
    if (list.what != kind::range) fail(at, '"' + described(at) + "\" is no list, but of the type " + std::string{type_name(list.what)});
    const auto ends = list.elements_view();
    if (!ends[0].is_number() || !ends[1].is_number()) fail(at, "only a range of whole numbers is a list");
    const auto first = whole(number_of(at, ends[0])), last = whole(number_of(at, ends[1]));
    constexpr std::int64_t furthest = 1'000'000'000'000;
    if (!first || !last || std::max(std::abs(*first), std::abs(*last)) > furthest) fail(at, "only a range of whole numbers is a list");
    const std::int64_t from = list.flag ? *first : *first + 1, to = list.flag ? *last : *last - 1;
    if (to < from) return {};
    spend(at, static_cast<std::uint64_t>(to - from) + 1);
    const std::span<value> out = memory().array<value>(static_cast<std::size_t>(to - from) + 1);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = value::of(decimal::of(from + static_cast<std::int64_t>(i)));
    return out;
}

std::span<const member> machine::members_of(const value& object) {
    return object.what == kind::object ? object.members_view() : work_.document.members_of(object.at, memory());
}

value machine::index(const node& n) {
    const value of = kid(n, 0), which = kid(n, 1);
    if (which.is_text()) return member_of(n, of, text_of(which));
    if (which.is_null()) return no_value(n, 1);
    const auto i = which.is_number() ? whole(number_of(kid_node(n, 1), which)) : std::nullopt;
    if (!i || *i < 0) fail(kid_node(n, 1), "an index is a whole number from 0 on, or a text");
    return element_of(n, of, static_cast<std::uint64_t>(*i));
}

value machine::slice(const node& n) {
    const value of = kid(n, 0);
    const auto end = [&](std::size_t which, std::size_t standard) -> std::size_t {
        const value v = kid(n, which);
        if (v.is_null()) return standard;
        const auto i = v.is_number() ? whole(number_of(kid_node(n, which), v)) : std::nullopt;
        if (!i || *i < 0) fail(kid_node(n, which), "the end of a slice is a whole number from 0 on");
        return static_cast<std::size_t>(*i);
    };
    const std::size_t from = end(1, 0), to = end(2, INT64_MAX);
    if (of.is_null()) return no_value(n, 0);
    if (of.is_list()) {
        const auto all = elements_of(n, of);
        if (from >= all.size() || to < from) return value::of(std::span<const value>{});
        return value::of(all.subspan(from, std::min(to, all.size() - 1) - from + 1));
    }
    if (!of.is_text()) fail(kid_node(n, 0), "only a list or a text has slices, not " + std::string{type_name(of.what)});
    const std::string_view text = text_of(of);
    std::size_t at = 0, count = 0, first = text.size();
    for (; at < text.size() && count <= to; ++count) {
        if (count == from) first = at;
        (void)next_character(text, at);
    }
    spend(n, text.size() / 16);
    return value::of(first >= at ? std::string_view{} : text.substr(first, at - first));
}

}  // namespace mqb::core::expressions
