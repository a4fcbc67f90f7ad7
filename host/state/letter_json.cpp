#include "host/state/letter_json.hpp"

#include "host/state/metadata_entry.hpp"
#include "host/state/utf8.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <array>
#include <bit>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>

namespace mqb::state {

namespace {

namespace json = boost::json;

constexpr std::size_t time_size = 12;

bool is_sound(const metadata_entry& e) {
    switch (e.type) {
        case metadata_type::null: return e.value.empty();
        case metadata_type::text:
        case metadata_type::json: return is_utf8(e.value);
        case metadata_type::boolean: return e.value.size() == 1;
        case metadata_type::int64:
        case metadata_type::float64: return e.value.size() == 8;
        case metadata_type::time: return e.value.size() == time_size;
        case metadata_type::bytes: break;
    }
    return false;
}

double double_of(const metadata_entry& e) { return std::bit_cast<double>(read_number(e.value, 8)); }

json::value value_json(const metadata_entry& e) {
    if (is_sound(e)) {
        if (e.type == metadata_type::null) return nullptr;
        if (e.type == metadata_type::boolean) return e.value[0] != 0;
        if (e.type == metadata_type::int64) return static_cast<std::int64_t>(read_number(e.value, 8));
        if (e.type == metadata_type::float64 && std::isfinite(double_of(e))) return double_of(e);
    }
    const std::string text = value_text(e);
    return json::string{text.data(), text.size()};
}

// Every string in it, at any depth.
void clean_strings(json::value& in, const text_filter& clean) {
    if (auto* text = in.if_string()) {
        const std::string cleaned = clean({text->data(), text->size()});
        text->assign(cleaned.data(), cleaned.size());
    } else if (auto* object = in.if_object()) {
        for (auto& member : *object) clean_strings(member.value(), clean);
    }
}

json::object head_json(const letter& l, const text_filter& clean) {
    const auto put = [](json::object& to, const char* key, const std::string& text) { to[key] = json::string{text.data(), text.size()}; };
    json::object out;
    out["id"] = l.id;
    put(out, "route", l.route);
    put(out, "endpoint", clean(l.endpoint));
    put(out, "class", std::string{class_name(l.why)});
    put(out, "error", clean(l.error));
    out["attempts"] = l.attempts;
    put(out, "first_at", rfc3339(l.first_at));
    put(out, "last_at", rfc3339(l.last_at));
    boost::system::error_code invalid;
    json::value source = json::parse({l.source.data(), l.source.size()}, invalid);
    clean_strings(source, clean);
    out["source"] = std::move(source);
    out["size"] = l.size;
    return out;
}

}  // namespace

std::string base64(std::string_view bytes) {
    constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    out.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t bits = 0;
        for (std::size_t j = 0; j < 3; ++j) bits = bits << 8 | (i + j < bytes.size() ? static_cast<std::uint8_t>(bytes[i + j]) : 0u);
        for (std::size_t j = 0; j < 4; ++j) out += i + j <= bytes.size() ? letters[bits >> (18 - 6 * j) & 63] : '=';
    }
    return out;
}

std::string rfc3339(std::int64_t seconds, std::uint32_t nanoseconds) {
    using namespace std::chrono;
    constexpr std::int64_t day_seconds = 86400;
    const std::int64_t day = seconds / day_seconds - (seconds % day_seconds < 0 ? 1 : 0);
    const std::int64_t in_day = seconds - day * day_seconds;
    constexpr std::int64_t most_days = 2'932'896;                                             // of 9999-12-31
    if (day < -719'162 || day > most_days) return std::to_string(seconds) + " s since 1970";  // no year of four digits
    const year_month_day date{sys_days{days{static_cast<int>(day)}}};
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02d", static_cast<int>(date.year()),
                  static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), static_cast<int>(in_day / 3600),
                  static_cast<int>(in_day / 60 % 60), static_cast<int>(in_day % 60));
    std::string out{text.data()};
    if (nanoseconds != 0) {
        std::snprintf(text.data(), text.size(), ".%09u", static_cast<unsigned>(nanoseconds));
        out += text.data();
        out.erase(out.find_last_not_of('0') + 1);
    }
    return out + 'Z';
}

std::string rfc3339(std::uint64_t ns) {
    return rfc3339(static_cast<std::int64_t>(ns / 1'000'000'000), static_cast<std::uint32_t>(ns % 1'000'000'000));
}

std::string type_name(const metadata_entry& entry) {
    switch (entry.type) {
        case metadata_type::null: return "null";
        case metadata_type::bytes: return "bytes";
        case metadata_type::text: return "text";
        case metadata_type::boolean: return "bool";
        case metadata_type::int64: return "int64";
        case metadata_type::float64: return "double";
        case metadata_type::time: return "time";
        case metadata_type::json: return "json";
    }
    return std::to_string(static_cast<unsigned>(entry.type));
}

std::string value_text(const metadata_entry& entry) {
    if (!is_sound(entry)) return base64(entry.value);
    switch (entry.type) {
        case metadata_type::boolean: return entry.value[0] != 0 ? "true" : "false";
        case metadata_type::int64: return std::to_string(static_cast<std::int64_t>(read_number(entry.value, 8)));
        case metadata_type::float64: {
            const double value = double_of(entry);
            if (std::isnan(value)) return "nan";
            std::array<char, 32> text{};
            return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
        }
        case metadata_type::time:
            return rfc3339(static_cast<std::int64_t>(read_number(entry.value, 8)),
                           static_cast<std::uint32_t>(read_number(entry.value.substr(8), 4)));
        default: return std::string{entry.value};
    }
}

std::string to_json(const letter& head, const text_filter& clean) { return json::serialize(head_json(head, clean)); }

std::string to_json(const letter& head, const letter_content& content, const text_filter& clean) {
    json::object out = head_json(head, clean);
    out["may_have_arrived"] = head.may_have_arrived;
    out["payload_base64"] = nullptr;
    if (content.payload) {
        const std::string text = base64(*content.payload);
        out["payload_base64"] = json::string{text.data(), text.size()};
    }
    json::array entries;
    metadata_walk walk{content.metadata};
    while (const auto entry = walk.next()) {
        // A key is UTF-8 in every block that the host lets pass.
        const std::string key = storable_text(entry->key, entry->key.size() * 3);
        entries.push_back(json::object{{"key", key}, {"type", type_name(*entry)}, {"value", value_json(*entry)}});
    }
    if (!walk.left().empty()) entries.push_back(json::object{{"key", ""}, {"type", "invalid"}, {"value", base64(walk.left())}});
    out["metadata"] = std::move(entries);
    return json::serialize(out);
}

}  // namespace mqb::state
