#include "host/config/document.hpp"

#include "host/config/json_reader.hpp"
#include "host/config/yaml_reader.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>

#include <simdjson.h>

namespace mqb::config {

namespace {

constexpr std::size_t largest_file = 16u << 20;

void tell_repeated(const tree_builder& tree, findings& to) {
    for (const repeated_key& key : tree.repeated())
        to.error(key.at, "", "the key \"" + key.key + "\" is here twice; the first is in line " + std::to_string(key.before.line));
}

// Where the byte stands.
position place_of(std::string_view text, std::size_t byte) {
    const std::string_view before = text.substr(0, byte);
    const auto line = static_cast<std::uint32_t>(std::count(before.begin(), before.end(), '\n') + 1);
    const std::size_t newline = before.rfind('\n');
    return {line, static_cast<std::uint32_t>(byte - (newline == std::string_view::npos ? 0 : newline + 1) + 1)};
}

bool is_no_text(char c) noexcept {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\n' && c != '\r' && c != '\t') || byte == 0x7f;
}

// The start of the first sequence that is not UTF-8.
std::size_t first_bad_byte(std::string_view text) {
    std::size_t good = 0;  // text up to here is good
    while (good < text.size()) {
        std::size_t length = 1;
        while (length <= 4 && good + length <= text.size() && !simdjson::validate_utf8(text.data() + good, length)) ++length;
        if (length > 4 || good + length > text.size()) return good;
        good += length;
    }
    return good;
}

// What the parsers would guess about, or stumble over in words of their own.
void refuse_what_is_no_text(std::string_view text) {
    if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) throw unreadable({1, 1}, "is UTF-16: write UTF-8");
    const auto control = std::find_if(text.begin(), text.end(), is_no_text);
    if (control != text.end()) {
        char code[8];
        std::snprintf(code, sizeof code, "0x%02x", static_cast<unsigned>(static_cast<unsigned char>(*control)));
        throw unreadable(place_of(text, static_cast<std::size_t>(control - text.begin())),
                         std::string{"is not text: there is a byte "} + code);
    }
    if (!simdjson::validate_utf8(text.data(), text.size())) throw unreadable(place_of(text, first_bad_byte(text)), "is not UTF-8");
}

}  // namespace

node_ptr read_document(std::string_view file_name, const std::string& whole, findings& to) {
    const std::uint32_t source = to.in_file(file_name);
    if (file_name.ends_with(".toml")) {
        to.error({}, "", "TOML is not read: write YAML or JSON");
        return nullptr;
    }
    const std::string text = whole.starts_with("\xef\xbb\xbf") ? whole.substr(3) : whole;  // a byte order mark
    tree_builder tree{source};
    try {
        refuse_what_is_no_text(text);
        if (file_name.ends_with(".json")) {
            read_json(text, tree);
        } else {
            read_yaml(text, tree);
        }
    } catch (const unreadable& e) {
        tell_repeated(tree, to);
        to.error(e.at, "", e.what());
        return nullptr;
    }
    tell_repeated(tree, to);
    return tree.root();
}

node_ptr read_document_file(const std::string& path, findings& to) {
    to.in_file(path);
    const std::string too_large = "larger than " + std::to_string(largest_file >> 20) + " MiB";
    std::error_code failed;
    if (std::filesystem::is_directory(path, failed)) {
        to.error({}, "", "cannot be read: is a directory");
        return nullptr;
    }
    // Before a byte is read; what has no size beforehand is cut off below.
    if (std::filesystem::is_regular_file(path, failed) && std::filesystem::file_size(path, failed) > largest_file && !failed) {
        to.error({}, "", too_large);
        return nullptr;
    }
    errno = 0;
    std::ifstream file{path, std::ios::binary};
    std::string text;
    char part[65536];
    while (file && text.size() <= largest_file) {
        file.read(part, sizeof part);
        text.append(part, static_cast<std::size_t>(file.gcount()));
    }
    if (!file.eof() && text.size() <= largest_file) {
        to.error({}, "", std::string{"cannot be read: "} + std::strerror(errno != 0 ? errno : EIO));
        return nullptr;
    }
    if (text.size() > largest_file) {
        to.error({}, "", too_large);
        return nullptr;
    }
    return read_document(path, text, to);
}

}  // namespace mqb::config
