#include "script.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

namespace mqb::scripted::plugin {

namespace {

struct word {
    std::string_view name;
    std::int32_t value;
};
constexpr std::int32_t never = -1;
constexpr word answers[] = {{"done", MQB_DONE},       {"unsent", MQB_UNSENT},       {"again", MQB_AGAIN},
                            {"refused", MQB_REFUSED}, {"uncertain", MQB_UNCERTAIN}, {"never", never}};
constexpr word statuses[] = {{"done", MQB_OK}, {"retry", MQB_RETRY}, {"rejected", MQB_REJECTED}, {"disconnected", MQB_DISCONNECTED}};
constexpr word outcomes[] = {{"ok", MQB_SETTLE_OK}, {"retry", MQB_SETTLE_RETRY}, {"gone", MQB_SETTLE_GONE}};

// One entry of a script; every member is taken once, and none may be left.
class entry {
public:
    entry(const sdk::json_value& from, std::size_t number) : from_(from), number_(number) {
        if (!from.is(sdk::json_kind::object)) wrong("is not an object");
    }
    std::optional<std::string> text(std::string_view key) {
        const sdk::json_value* found = take(key, sdk::json_kind::text);
        return found ? std::optional(found->text) : std::nullopt;
    }
    std::uint64_t milliseconds(std::string_view key) {
        const sdk::json_value* found = take(key, sdk::json_kind::number);
        if (!found) return 0;
        const auto number = found->as_integer<std::uint32_t>();
        if (!number) wrong(sdk::join(key, " is not a number of milliseconds"));
        return std::uint64_t{*number} * 1'000'000;
    }
    template <std::size_t Size>
    std::int32_t one_of(std::string_view key, const word (&words)[Size]) {
        const auto given = text(key);
        if (!given) return words[0].value;
        for (const word& each : words)
            if (each.name == *given) return each.value;
        wrong(sdk::join(key, " is \"", *given, "\", which is not one of its words"));
    }
    void end() const {
        if (taken_ != from_.members.size()) wrong("has a member that is not known");
    }

private:
    [[noreturn]] void wrong(std::string_view what) const { throw sdk::bad_config("script: entry ", number_, ' ', what); }
    const sdk::json_value* take(std::string_view key, sdk::json_kind kind) {
        const sdk::json_value* found = from_.find(key);
        if (!found) return nullptr;
        if (!found->is(kind)) wrong(sdk::join(key, " is not ", std::string_view(sdk::name_of(kind))));
        return ++taken_, found;
    }
    const sdk::json_value& from_;
    std::size_t number_;
    std::size_t taken_ = 0;
};

sdk::json_value read(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in) throw sdk::bad_config("script: ", path, ": ", std::string_view(std::strerror(errno)));
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    sdk::json_limits limits;
    limits.values = 1u << 21;
    sdk::json_value out;
    try {
        out = sdk::parse_json(text, limits);
    } catch (const sdk::json_error& wrong) { throw sdk::bad_config("script: ", path, ": ", std::string_view(wrong.what())); }
    if (!out.is(sdk::json_kind::array)) throw sdk::bad_config("script: ", path, " is not an array");
    return out;
}

}  // namespace

std::deque<answer> read_answers(const std::string& path) {
    std::deque<answer> out;
    for (const sdk::json_value& each : read(path).items) {
        entry in(each, out.size());
        answer& one = out.emplace_back();
        one.result = in.one_of("answer", answers);
        if (one.result == never) one.never = true, one.result = MQB_UNCERTAIN;
        one.status = static_cast<sdk::status>(in.one_of("status", statuses));
        one.delay_ns = in.milliseconds("delay_ms");
        one.not_before_ns = in.milliseconds("not_before_ms");
        one.response = in.text("response");
        one.text = in.text("text").value_or("");
        in.end();
    }
    return out;
}

std::deque<request> read_requests(const std::string& path) {
    std::deque<request> out;
    for (const sdk::json_value& each : read(path).items) {
        entry in(each, out.size());
        request& one = out.emplace_back();
        one.payload = in.text("payload").value_or("");
        one.delay_ns = in.milliseconds("delay_ms");
        one.settled = in.one_of("settle", outcomes);
        const auto number = static_cast<std::uint64_t>(out.size());
        std::memcpy(one.id, &number, sizeof number);  // stable: the place in the script
        in.end();
    }
    return out;
}

}  // namespace mqb::scripted::plugin
