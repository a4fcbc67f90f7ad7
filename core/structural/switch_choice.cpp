#include "core/structural/switch_choice.hpp"

#include "core/expressions/metadata_value.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <utility>

namespace mqb::core {

namespace {

namespace json = boost::json;

std::string text_in(const json::value* v) { return v && v->is_string() ? std::string{v->get_string()} : std::string{}; }

// As in the JSON pointers of nested endpoints.
std::string escaped(std::string_view key) {
    std::string out;
    for (const char c : key) out += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
    return out;
}

failure wrong(std::string text, std::string where = {}) { return {status::bad_config, std::move(text), {}, std::move(where)}; }

// Exactly one of two ways to choose.
std::optional<failure> mistake_in(bool has_key, bool has_cases, bool has_conditions, bool has_default) {
    const char* ways = "a switch looks up the metadata_key in its cases, or tries the conditions under when";
    if (has_conditions && (has_key || has_cases)) return wrong(std::string{"not both: "} + ways, "/when");
    if (has_conditions) return std::nullopt;
    if (!has_key && has_cases) return wrong("cases need the metadata_key that they are values of", "/cases");
    if (!has_key) return wrong(std::string{"says nothing of how to choose: "} + ways);
    if (!has_cases && !has_default) return wrong("needs cases or a default", "/metadata_key");
    return std::nullopt;
}

}  // namespace

std::optional<switch_choice> switch_choice::read(std::string_view config, const std::vector<std::string>& all,
                                                 std::vector<failure>& mistakes) {
    boost::system::error_code failed;
    const json::value value = json::parse({config.data(), config.size()}, failed);
    const json::object nothing;
    const json::object& from = !failed && value.is_object() ? value.get_object() : nothing;
    const auto branch_at = [&](const std::string& where) {
        return static_cast<std::uint32_t>(std::ranges::find(all, where) - all.begin());
    };
    switch_choice out;
    out.key_ = text_in(from.if_contains("metadata_key"));
    const json::value* const cases = from.if_contains("cases");
    const json::value* const when = from.if_contains("when");
    const bool has_cases = cases && cases->is_object() && !cases->get_object().empty();
    const bool has_conditions = when && when->is_array() && !when->get_array().empty();
    if (from.contains("default")) out.default_ = branch_at("/default");
    if (auto mistake = mistake_in(!out.key_.empty(), has_cases, has_conditions, out.default_.has_value()))
        mistakes.push_back(std::move(*mistake));
    if (has_cases)
        for (const auto& one : cases->get_object()) out.cases_.emplace(std::string{one.key()}, branch_at("/cases/" + escaped(one.key())));
    for (std::size_t i = 0; has_conditions && i < when->get_array().size(); ++i) {
        const json::value& one = when->get_array()[i];
        const std::string place = "/when/" + std::to_string(i);
        const std::string text = text_in(one.is_object() ? one.get_object().if_contains("if") : nullptr);
        auto compiled = expressions::compile(text, expressions::purpose::filter);
        if (compiled)
            out.when_.push_back({std::move(*compiled), branch_at(place + "/to")});
        else
            mistakes.push_back({status::bad_config, compiled.error().text, expressions::excerpt(text, compiled.error()), place + "/if"});
    }
    if (!mistakes.empty()) return std::nullopt;
    return out;
}

std::optional<std::uint32_t> switch_choice::choose(const message& m, std::string& why) {
    return key_.empty() ? try_conditions(m, why) : look_up(m, why);
}

std::optional<std::uint32_t> switch_choice::look_up(const message& m, std::string& why) {
    memory_.reset();
    bool is_text = true;
    const expressions::value v = expressions::metadata_value(m.metadata, key_, memory_, is_text);
    char digits[expressions::decimal_text_size];
    std::string_view text = v.is_text() ? v.view() : std::string_view{v.flag ? "true" : "false"};
    if (v.what == expressions::kind::number) text = {digits, expressions::write_decimal(v.number, digits)};
    const auto found = v.is_null() ? cases_.end() : cases_.find(text);
    if (found != cases_.end()) return found->second;
    if (!default_) why = "unmatched: the switch has no case for what the metadata \"" + key_ + "\" says, and no default";
    return default_;
}

std::optional<std::uint32_t> switch_choice::try_conditions(const message& m, std::string& why) {
    for (std::size_t i = 0; i < when_.size(); ++i) {
        const auto holds = evaluator_.holds(when_[i].holds, m.payload, m.metadata);
        if (!holds) {
            why = "switch: when[" + std::to_string(i) + "]: " + holds.error().text;
            return std::nullopt;
        }
        if (*holds) return when_[i].branch;
    }
    if (!default_) why = "unmatched: no condition of the switch holds, and it has no default";
    return default_;
}

}  // namespace mqb::core
