#include "core/templates/renderer.hpp"

#include "core/expressions/json_text.hpp"
#include "core/middlewares/metadata_edit.hpp"
#include "core/templates/text_forms.hpp"

#include <simdjson.h>

#include <charconv>
#include <chrono>
#include <new>
#include <random>

namespace mqb::core::templates {

namespace {

using expressions::kind;

constexpr std::size_t most_memory = 64u << 20;
constexpr std::size_t most_kept = 1u << 20;
constexpr std::string_view no_memory = "there is no memory for it";
constexpr int type_bytes = 1;  // of metadata

std::uint64_t system_clock_ns() noexcept {
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count());
}

std::size_t escaped_size(std::string_view text) noexcept {
    std::size_t out = text.size();
    for (const char c : text) {
        if (c == '"' || c == '\\' || c == '\n' || c == '\r' || c == '\t')
            out += 1;
        else if (static_cast<unsigned char>(c) < 0x20)
            out += 5;
    }
    return out;
}

}  // namespace

struct renderer::task {
    std::string& to;
    const template_code& code;
    const message& of;
    const std::size_t begin = to.size();
    rendering result = {};
    std::uint32_t part = 0;
    payload_state payload = payload_state::unread;
    std::string_view payload_fault = {};
    std::size_t name_begin = to.size();  // of a path: of the name that is being written
    std::uint32_t name_part = no_part;   // the first token in it

    static constexpr std::uint32_t no_part = UINT32_MAX;
    void lacks(lack what = lack::value, std::string_view reason = {}) noexcept { lacks_at(part, what, reason); }
    void lacks_at(std::uint32_t which, lack what, std::string_view reason) noexcept {
        if (result.is_whole()) result = {rendered::partial, what, which, reason};
    }
    // False: it is too long from now on.
    [[nodiscard]] bool has_room(std::size_t size) noexcept {
        const std::size_t used = to.size() - begin;
        if (size <= longest_text && used <= longest_text - size) return true;
        result = {rendered::too_long};
        return false;
    }
};

renderer::renderer() : renderer(&system_clock_ns) {}

renderer::renderer(wall_clock clock) : clock_(clock), memory_(most_memory) {
    std::random_device device;
    random_ = std::uint64_t{device()} << 32 | device();
}

rendering renderer::append(std::string& to, const text_template& from, const message& of) {
    const template_code& code = from.internal();
    if (from.is_constant()) {
        to += code.constant;
        return {};
    }
    task t{to, code, of};
    try {
        for (const template_part& part : code.parts) {
            write(t, part);
            if (t.result.what == rendered::too_long) break;
            ++t.part;
        }
        if (code.is_path) end_name(t, to.size());
    } catch (const std::bad_alloc&) {
        t.result = {rendered::too_long, lack::value, t.part, no_memory};
    } catch (const expressions::arena::exhausted&) { t.result = {rendered::too_long}; }
    if (t.result.what == rendered::too_long) to.resize(t.begin);
    if (t.payload != payload_state::unread || scratch_.capacity() > most_kept) shrink();
    return t.result;
}

void renderer::write(task& t, const template_part& part) {
    switch (part.from) {
        case token_source::literal:
            if (!t.has_room(part.text.size())) return;
            t.to += part.text;
            for (std::size_t at = t.to.size() - part.text.size(); t.code.is_path && at < t.to.size(); ++at)
                if (t.to[at] == '/') end_name(t, at);
            return;
        case token_source::payload_field: return write_field(t, part);
        case token_source::metadata: return write_metadata(t, part);
        case token_source::message_id:
            if (!has_id(t.of)) return t.lacks();
            scratch_.clear();
            append_uuid(scratch_, t.of.id);
            return put(t, part, scratch_, true);
        case token_source::message_payload: return write_payload(t, part);
        case token_source::uuid: {
            std::array<std::uint8_t, 16> id;
            ids_.start(clock_());
            ids_.write(id);
            scratch_.clear();
            append_uuid(scratch_, id);
            return put(t, part, scratch_, true);
        }
        case token_source::now:
            scratch_.clear();
            append_time(scratch_, static_cast<std::int64_t>(clock_() / 1'000'000'000), 0);
            return put(t, part, scratch_, true);
        case token_source::timestamp: return write_generated(t, part, clock_() / 1'000'000);
        case token_source::counter: return write_generated(t, part, t.code.counter.fetch_add(1, std::memory_order_relaxed));
        case token_source::random: {
            const std::uint64_t span = static_cast<std::uint64_t>(part.most) - static_cast<std::uint64_t>(part.least) + 1;
            const std::uint64_t bits = random_bits();
            const std::uint64_t step = span == 0 ? bits : static_cast<std::uint64_t>(static_cast<expressions::u128>(bits) * span >> 64);
            return write_generated(t, part, static_cast<std::uint64_t>(part.least) + step);
        }
    }
}

// A number of random may be below zero; the others never are so large.
void renderer::write_generated(task& t, const template_part& part, std::uint64_t number) {
    char digits[24];
    const char* const end = std::to_chars(digits, digits + sizeof digits, static_cast<std::int64_t>(number)).ptr;
    put(t, part, {digits, static_cast<std::size_t>(end - digits)}, true);
}

void renderer::write_field(task& t, const template_part& part) {
    if (!read_payload(t)) return t.lacks(t.of.payload.is_null() ? lack::value : lack::json, t.payload_fault);
    const expressions::value v = field_of(part);
    const bool escapes = t.code.escapes_json && part.through == token_filter::none;
    switch (v.what) {
        case kind::null: return t.lacks();
        case kind::text: return put(t, part, v.view());
        // It stands in the payload with its escapes.
        case kind::raw_text:
            if (escapes) return put(t, part, v.view(), true);
            scratch_.resize(v.view().size());
            scratch_.resize(expressions::unescape(v.view(), scratch_.data()));
            return put(t, part, scratch_);
        default:
            scratch_.clear();
            document_.append(scratch_, v, memory_);
            return put(t, part, scratch_, !part.is_in_quotes);
    }
}

expressions::value renderer::field_of(const template_part& part) const {
    expressions::value v = document_.at(0);
    for (const path_step& step : part.path) {
        if (v.is_object())
            v = document_.member_of(v.at, step.name);
        else if (v.is_list() && step.index != path_step::no_index)
            v = document_.element_of(v.at, step.index);
        else
            return {};
    }
    return v;
}

void renderer::write_payload(task& t, const template_part& part) {
    if (t.of.payload.is_null()) return t.lacks();
    const std::string_view text = t.of.payload.text();
    if (part.through == token_filter::base64 || simdjson::validate_utf8(text)) return put(t, part, text);
    t.lacks(lack::value, "the payload is not UTF-8");
    if (!t.has_room(text.size())) return;
    scratch_.clear();
    append_lossy(scratch_, text);
    put(t, part, scratch_);
}

void renderer::write_metadata(task& t, const template_part& part) {
    const metadata_entry entry = last_entry(t.of.metadata, part.text);
    if (entry.type <= 0) return t.lacks();  // none, or null
    if (entry.type == type_bytes && part.through == token_filter::base64) return put(t, part, entry.value);
    scratch_.clear();
    append_metadata(scratch_, entry);
    put(t, part, scratch_);
}

void renderer::put(task& t, const template_part& part, std::string_view text, bool is_plain) {
    if (part.through == token_filter::base64) {
        if (text.size() <= longest_text && t.has_room((text.size() + 2) / 3 * 4)) return append_base64(t.to, text);
        t.result = {rendered::too_long};
        return;
    }
    if (t.code.is_path) {
        if (text.empty()) return t.lacks(lack::file_name, "it is empty");
        if (text.find_first_of(std::string_view{"/\0", 2}) != std::string_view::npos)
            return t.lacks(lack::file_name, "it has a / or a U+0000");
        if (t.name_part == task::no_part) t.name_part = t.part;
    }
    const bool escapes = t.code.escapes_json && !is_plain && part.through == token_filter::none;
    if (!t.has_room(escapes ? escaped_size(text) : text.size())) return;
    if (escapes)
        expressions::append_escaped(t.to, text);
    else
        t.to += text;
}

void renderer::end_name(task& t, std::size_t end) {
    const std::string_view name{t.to.data() + t.name_begin, end - t.name_begin};
    if (t.name_part != task::no_part && (name == "." || name == ".."))
        t.lacks_at(t.name_part, lack::file_name, "it makes a name that is . or ..");
    t.name_begin = end + 1;
    t.name_part = task::no_part;
}

bool renderer::read_payload(task& t) {
    if (t.payload == payload_state::unread) {
        memory_.reset();
        t.payload_fault = t.of.payload.is_null() ? std::string_view{"the message has no payload"} : document_.read(t.of.payload.text());
        t.payload = t.payload_fault.empty() ? payload_state::good : payload_state::broken;
    }
    return t.payload == payload_state::good;
}

// What a very long message needed is not kept.
void renderer::shrink() noexcept {
    document_.shrink();
    memory_.reset();
    if (scratch_.capacity() > most_kept) std::string{}.swap(scratch_);
}

// splitmix64
std::uint64_t renderer::random_bits() noexcept {
    std::uint64_t z = random_ += 0x9e37'79b9'7f4a'7c15;
    z = (z ^ z >> 30) * 0xbf58'476d'1ce4'e5b9;
    z = (z ^ z >> 27) * 0x94d0'49bb'1331'11eb;
    return z ^ z >> 31;
}

std::string why_not(const text_template& from, const rendering& what) {
    if (what.what == rendered::too_long)
        return what.reason.empty() ? "the text is longer than " + std::to_string(renderer::longest_text >> 20) + " MiB"
                                   : std::string{what.reason};
    const template_part& part = from.internal().parts[what.part];
    std::string out = from.source().substr(part.offset, part.length);
    out += what.of == lack::file_name ? " is no part of a path" : " has no value";
    if (what.reason.empty()) return out;
    return out + ": " + (what.of == lack::json ? "the payload is not structured JSON: " : "") + std::string{what.reason};
}

}  // namespace mqb::core::templates
