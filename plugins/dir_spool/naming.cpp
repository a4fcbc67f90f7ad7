#include "naming.hpp"

#include <algorithm>
#include <charconv>

#include <mqb/sdk/message_id.hpp>
#include <mqb/sdk/status.hpp>

namespace mqb::dir_spool {
namespace {

constexpr std::string_view digit_characters = "0123456789";
constexpr std::size_t most_digits = 20;  // of 64 bits

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
std::size_t leading_digits(std::string_view text) noexcept { return std::min(text.find_first_not_of(digit_characters), text.size()); }

void append_number(std::string& to, std::uint64_t number, std::size_t digits) {
    char text[most_digits];
    const auto size = static_cast<std::size_t>(std::to_chars(text, text + sizeof text, number).ptr - text);
    if (size < digits) to.append(digits - size, '0');
    to.append(text, size);
}

}  // namespace

bool shards::are_named(std::string_view directory) const noexcept {
    return directory.size() == width && leading_digits(directory) == directory.size();
}

naming::part naming::read_placeholder(std::string_view inside) {
    if (inside == "timestamp") return {part_kind::timestamp, {}, 0};
    if (inside == "message_id") return {part_kind::message_id, {}, 0};
    if (inside == "seq") return {part_kind::sequence, {}, 0};
    if (inside.starts_with("seq:0")) {
        std::string_view number = inside.substr(5);
        if (number.ends_with('d')) number.remove_suffix(1);
        unsigned digits = 0;
        const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), digits);
        if (error == std::errc{} && end == number.data() + number.size() && digits >= 1 && digits <= most_digits)
            return {part_kind::sequence, {}, digits};
    }
    throw sdk::bad_config("naming_pattern: {", inside, "} is none of {seq}, {seq:0N} with N from 1 to 20, {timestamp} and {message_id}");
}

naming::naming(std::string_view pattern, shards of) : shards_(of) {
    if (pattern.find_first_of(std::string_view("/\0", 2)) != std::string_view::npos)
        throw sdk::bad_config("naming_pattern: a name has no \"/\"; shard_depth makes directories");
    for (std::string_view rest = pattern; !rest.empty();) {
        const std::size_t brace = rest.find_first_of("{}");
        if (brace > 0) parts_.push_back({part_kind::text, std::string(rest.substr(0, brace)), 0});
        if (brace == std::string_view::npos) break;
        const std::size_t end = rest.find('}', brace);
        if (rest[brace] == '}' || end == std::string_view::npos)
            throw sdk::bad_config("naming_pattern: a brace of \"", pattern, "\" has no other one");
        parts_.push_back(read_placeholder(rest.substr(brace + 1, end - brace - 1)));
        rest.remove_prefix(end + 1);
    }
    check_start();
}

void naming::check_start() const {
    if (parts_.empty() || parts_.front().kind != part_kind::sequence)
        throw sdk::bad_config("naming_pattern: has to begin with {seq} or {seq:0N}, by which chunks are ordered");
    if (parts_.size() > 1 && (parts_[1].kind != part_kind::text || is_digit(parts_[1].text.front())))
        throw sdk::bad_config("naming_pattern: behind the sequence at its beginning something has to stand that is no digit");
    if (shards_.depth > 0 && parts_.front().digits <= shards_.digits())
        throw sdk::bad_config("naming_pattern: shard_depth ", shards_.depth, " and shard_width ", shards_.width, " take ", shards_.digits(),
                              " digits of the sequence, so it has to begin with {seq:0N} of more than that");
}

std::string naming::path_of(std::uint64_t sequence, std::uint64_t milliseconds, const std::uint8_t* id) const {
    std::string name;
    for (const part& one : parts_) {
        switch (one.kind) {
            case part_kind::text: name += one.text; break;
            case part_kind::sequence: append_number(name, sequence, one.digits); break;
            case part_kind::timestamp: append_number(name, milliseconds, 0); break;
            case part_kind::message_id: {
                char text[sdk::uuid_text_size];
                name.append(text, static_cast<std::size_t>(sdk::put_uuid(text, id) - text));
                break;
            }
        }
    }
    for (std::uint32_t level = shards_.depth; level > 0; --level) name.insert(std::size_t{level} * shards_.width, 1, '/');
    return name;
}

bool naming::makes(std::string_view name) const noexcept {
    for (const part& one : parts_) {
        std::size_t size = leading_digits(name);
        switch (one.kind) {
            case part_kind::text:
                if (!name.starts_with(one.text)) return false;
                size = one.text.size();
                break;
            case part_kind::sequence:
                if (size < std::max<std::size_t>(one.digits, 1) || (size > std::max<std::size_t>(one.digits, 1) && name.front() == '0'))
                    return false;
                break;
            case part_kind::timestamp:
                if (size == 0) return false;
                break;
            case part_kind::message_id: {
                sdk::message_id id;
                size = sdk::uuid_text_size;
                if (name.size() < size || !sdk::get_uuid(name.data(), id.data())) return false;
                break;
            }
        }
        name.remove_prefix(size);
    }
    return name.empty();
}

std::size_t naming::longest() const noexcept {
    std::size_t size = 0;
    for (const part& one : parts_) {
        const bool is_text = one.kind == part_kind::text, is_id = one.kind == part_kind::message_id;
        size += is_text ? one.text.size() : is_id ? sdk::uuid_text_size : most_digits;
    }
    return size - shards_.digits();
}

std::uint64_t naming::last_in_order() const noexcept {
    const std::uint32_t digits = std::max(parts_.front().digits, 1U);
    if (digits >= most_digits) return UINT64_MAX;
    std::uint64_t beyond = 1;
    for (std::uint32_t i = 0; i < digits; ++i) beyond *= 10;
    return beyond - 1;
}

std::optional<std::uint64_t> sequence_of(std::string_view name) noexcept {
    std::uint64_t number = 0;
    const std::size_t size = leading_digits(name);
    const auto [end, error] = std::from_chars(name.data(), name.data() + size, number);
    if (error != std::errc{}) return std::nullopt;
    return number;
}

}  // namespace mqb::dir_spool
