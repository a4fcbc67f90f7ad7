#include "json_walk.hpp"

#include <utility>

#include "chunk16.hpp"

namespace mqb::file {

const char* behind_json_string(const char* at, const char* end) noexcept {
    ++at;
    for (;;) {
        if (end - at >= 16) {
            const chunk16 bytes = chunk16::load(at);
            const chunk_set found = (bytes.equal(chunk16::filled('"')) | bytes.equal(chunk16::filled('\\'))).high();
            at += found != 0 ? first_of(found) : 16;
            if (found == 0) continue;
        }
        if (*at == '"') break;
        at += *at == '\\' ? 2 : 1;
    }
    return at + 1;
}

const char* behind_json_value(const char* at, const char* end) noexcept {
    if (*at == '"') return behind_json_string(at, end);
    if (*at == '{' || *at == '[') {
        for (int depth = 0;;) {
            const char c = *at;
            if (c == '"') {
                at = behind_json_string(at, end);
                continue;
            }
            ++at;
            if (c == '{' || c == '[') ++depth;
            if ((c == '}' || c == ']') && --depth == 0) return at;
        }
    }
    constexpr std::string_view behind = ",]} \t\r\n";
    while (at < end && behind.find(*at) == std::string_view::npos) ++at;
    return at;
}

json_walk::json_walk(std::string_view text) noexcept : at_(text.data()), end_(text.data() + text.size()) {
    skip_white();
    if (at_ < end_ && (*at_ == '{' || *at_ == '[')) open_ = *at_++;
}

void json_walk::skip_white() noexcept {
    while (at_ < end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) ++at_;
}

// Moves to the next member or element, or says that there is none.
bool json_walk::at_another() noexcept {
    if (open_ == 0) return false;
    skip_white();
    if (at_ < end_ && *at_ == ',') {
        ++at_;
        skip_white();
    }
    return at_ < end_ && *at_ != '}' && *at_ != ']';
}

std::string_view json_walk::value() noexcept {
    const char* const begin = std::exchange(at_, behind_json_value(at_, end_));
    return {begin, static_cast<std::size_t>(at_ - begin)};
}

std::optional<json_member> json_walk::member() noexcept {
    if (!at_another()) return std::nullopt;
    json_member found;
    found.key = value();
    found.key = found.key.substr(1, found.key.size() - 2);
    skip_white();
    ++at_;  // the colon
    skip_white();
    found.value = value();
    return found;
}

std::optional<std::string_view> json_walk::element() noexcept {
    if (!at_another()) return std::nullopt;
    return value();
}

}  // namespace mqb::file
