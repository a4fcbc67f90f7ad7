#include "config.hpp"

#include <algorithm>
#include <charconv>

#include <mqb/plugin.h>

#include "json_delimiter.hpp"
#include "path_pattern.hpp"
#include "rolling_period.hpp"

namespace mqb::file {
namespace {

std::optional<char> byte_of(std::string_view text) noexcept {
    if (text.size() == 1) return text.front();
    unsigned byte = 0;
    if (text.size() != 4 || !text.starts_with("0x")) return std::nullopt;
    const auto [end, error] = std::from_chars(text.data() + 2, text.data() + 4, byte, 16);
    if (error != std::errc{} || end != text.data() + 4) return std::nullopt;
    return static_cast<char>(byte);
}

// The positions of a packed file's text are none in the file.
void check_packing(const config& c, std::uint32_t side) {
    if (c.encryption) c.encryption->check();
    if (side != MQB_SIDE_CONSUMER || c.packed().is_plain() || (c.mode == read_mode::consume && !c.remove)) return;
    throw sdk::bad_config(c.encryption ? "encryption" : "compression",
                          ": such an input is read with `mode: consume` and without `delete` only");
}

// The group's name becomes part of a file's name.
void check_group(const config& c) {
    if (!c.group_id || c.group_id->empty()) throw sdk::bad_config("mode: group_subscribe needs a `group_id`");
    if (c.group_id->find_first_of(std::string_view("/\0", 2)) != std::string::npos || c.group_id->size() > 128)
        throw sdk::bad_config("group_id: a name of at most 128 bytes without \"/\" was expected, not \"", *c.group_id, '"');
    if (c.path == standard_input) throw sdk::bad_config("path: /dev/stdin has no position that could be saved; `mode: consume` reads it");
}

void check_csv(const config& c, std::uint32_t side) {
    const bool is_input = side == MQB_SIDE_CONSUMER;
    if (c.csv.separator != "auto" && !csv_byte(c.csv.separator))
        throw sdk::bad_config("csv.separator: one ASCII character, a name, 0xNN or auto was expected, not \"", c.csv.separator, '"');
    if (c.csv.quote != "none" && !csv_byte(c.csv.quote))
        throw sdk::bad_config("csv.quote: one ASCII character, 0xNN or none was expected, not \"", c.csv.quote, '"');
    if (is_input && c.csv.on_mismatch == "fail") throw sdk::bad_config("csv.on_mismatch: `fail` is for outputs");
    for (const auto& [name, type] : c.csv.types)
        if (!c.csv.columns.empty() && std::find(c.csv.columns.begin(), c.csv.columns.end(), name) == c.csv.columns.end())
            throw sdk::bad_config("csv.types: '", name, "' is not among the `columns`");
    if (const auto why = is_input ? why_unreadable(c.dialect()) : why_unwritable(c.dialect())) throw sdk::bad_config("csv: ", *why);
}

void check_rolling(const config& c) {
    if (c.rolling.every && !duration_of(*c.rolling.every))
        throw sdk::bad_config("rolling.every: a number and one of s, m, h, d was expected, as 1h, not \"", *c.rolling.every, '"');
    if (c.rolling.keep > 0 && !c.rolls()) throw sdk::bad_config("rolling.keep: says nothing without `max_bytes` or `every`");
    if (c.rolls() && c.path == standard_output) throw sdk::bad_config("rolling: /dev/stdout has no other file to go on with");
}

void check_parts(const config& c) {
    if (c.idempotency && c.name_by != "auto" && *c.idempotency != (c.name_by == "source_position"))
        throw sdk::bad_config("idempotency: is old for `name_by`, and says something else");
    if (!c.is_parts()) return;
    if (!c.packed().is_plain()) throw sdk::bad_config("name_by: parts are neither compressed nor encrypted");
    if (c.path == standard_output) throw sdk::bad_config("name_by: /dev/stdout has no names");
    if (c.rolls()) throw sdk::bad_config("rolling: says nothing with `name_by: source_position`, where each batch has files of its own");
}

void check_delete(const config& c) {
    if (is_pattern(c.path)) throw sdk::bad_config("delete: it is for one file, not for all that match '", c.path, "'");
    if (c.path == standard_input) throw sdk::bad_config("delete: nothing can be deleted of /dev/stdin");
    if (c.is_group()) throw sdk::bad_config("delete: a group saves its position; records are deleted with `mode: consume` or `subscribe`");
    if (c.mode == read_mode::subscribe && c.format == record_format::csv)
        throw sdk::bad_config("delete: with `mode: subscribe` it is not for `format: csv`");
}

void check_tokens(const config& c, std::uint32_t side) {
    if (side == MQB_SIDE_CONSUMER) throw sdk::bad_config("path: an input is no template: there is no message whose values it could have");
    if (c.is_parts()) throw sdk::bad_config("name_by: parts have one directory; its path is no template");
}

}  // namespace

config with_stream(config chosen, std::uint32_t side) {
    if (chosen.path == "-") chosen.path = side == MQB_SIDE_CONSUMER ? standard_input : standard_output;
    return chosen;
}

void config::check(std::uint32_t side) const {
    if (path == "-") return with_stream(*this, side).check(side);
    if (path.has_tokens()) check_tokens(*this, side);
    const auto byte = byte_of(delimiter);
    if (!byte) throw sdk::bad_config("delimiter: one byte, or 0xNN, was expected, not \"", delimiter, '"');
    if (format != record_format::raw && format != record_format::csv && is_json_syntax(*byte))
        throw sdk::bad_config("delimiter: \"", delimiter, "\" may be part of a JSON record itself");
    if (format == record_format::csv) check_csv(*this, side);
    check_packing(*this, side);
    if (side == MQB_SIDE_CONSUMER && is_group()) check_group(*this);
    if (side == MQB_SIDE_PUBLISHER) {
        check_rolling(*this);
        check_parts(*this);
    }
    if (side == MQB_SIDE_CONSUMER && remove) check_delete(*this);
    if (path == standard_input && side == MQB_SIDE_CONSUMER && mode == read_mode::subscribe)
        throw sdk::bad_config("path: /dev/stdin has no end to begin at; `mode: consume` reads it");
    if (path == standard_input && side == MQB_SIDE_PUBLISHER) throw sdk::bad_config("path: /dev/stdin cannot be written");
    const std::string_view folder(path.data(), path.ends_with('/') && is_parts() ? path.size() - 1 : path.size());
    if (side == MQB_SIDE_PUBLISHER && is_pattern(folder))
        throw sdk::bad_config("path: an output is one file; \"", path, "\" is a pattern, which only an input may be");
    if (path == standard_output && side == MQB_SIDE_CONSUMER) throw sdk::bad_config("path: /dev/stdout cannot be read");
}

char config::delimiter_byte() const { return byte_of(delimiter).value_or('\n'); }

packing config::packed() const {
    packing how{codec::compression::none, encryption.has_value()};
    for (const codec::compression kind : {codec::compression::gzip, codec::compression::lz4, codec::compression::zstd})
        if (compression == codec::name_of(kind)) how.compression = kind;
    if (compression == "auto") how.compression = codec::compression_of_name(path);
    return how;
}

csv_dialect config::dialect() const {
    csv_dialect chosen;
    chosen.separator = csv.separator == "auto" ? std::nullopt : csv_byte(csv.separator);
    chosen.quote = csv.quote == "none" ? std::nullopt : csv_byte(csv.quote);
    chosen.delimiter = delimiter_byte();
    chosen.header = csv.header;
    chosen.columns = csv.columns;
    chosen.types = csv.types;
    return chosen;
}

bool config::has_csv_settings() const {
    return csv.separator != "," || csv.quote != "\"" || !csv.header || !csv.columns.empty() || !csv.types.empty() ||
           csv.nested != "flatten" || csv.on_mismatch != "warn";
}

}  // namespace mqb::file
