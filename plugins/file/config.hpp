// Config: what a route file may say of a file endpoint.
#pragma once

#include <mqb/sdk/option.hpp>

#include "csv_dialect.hpp"
#include "encryption_config.hpp"
#include "packing.hpp"
#include "record_format.hpp"

namespace mqb::file {

enum class read_mode { consume, subscribe, group_subscribe };
enum class fsync_mode { off, batch, periodic };

// The block `csv`.
struct csv_config {
    std::string separator, quote, nested, on_mismatch;
    bool header = true;
    std::vector<std::string> columns;
    std::map<std::string, csv_type> types;

    static constexpr auto options() {
        return sdk::options(
            sdk::option("separator", &csv_config::separator)
                .by_default(",")
                .doc("One ASCII character, `tab`, `space`, `comma`, `semicolon`, `pipe`, `0xNN`, or on an input `auto`: the most "
                     "frequent of comma, semicolon, tab and pipe in the first record."),
            sdk::option("quote", &csv_config::quote).by_default("\"").doc("One character, or `none`; doubled inside a quoted field."),
            sdk::option("header", &csv_config::header)
                .by_default(true)
                .doc("The first record of a file names the columns; if not, an input needs `columns`."),
            sdk::option("columns", &csv_config::columns)
                .by_default_json("[]")
                .doc("Input: names instead of those in the header. Output: those of the header that the file has; else exactly these, "
                     "in this order; else those of the first record."),
            sdk::option("types", &csv_config::types)
                .by_default_json("{}")
                .value("string", csv_type::text)
                .value("integer", csv_type::integer)
                .value("number", csv_type::number)
                .value("boolean", csv_type::boolean)
                .consumer_only()
                .doc("By the name of a column, what its cells are: `string`, `integer`, `number` or `boolean`. A cell that is something "
                     "else is "
                     "an error of its record; an empty one is null. Columns without a type are strings."),
            sdk::option("nested", &csv_config::nested)
                .by_default("flatten")
                .value("flatten")
                .value("json")
                .publisher_only()
                .doc("An object in a record: `flatten` into columns `parent.child`, or as `json` in one cell."),
            sdk::option("on_mismatch", &csv_config::on_mismatch)
                .by_default("warn")
                .value("warn")
                .value("fail")
                .publisher_only()
                .doc("A record whose keys are not the columns: `warn` once, or `fail` that record; the same of a file with another "
                     "header."));
    }
};

// The block `rolling`.
struct rolling_config {
    std::optional<std::uint64_t> max_bytes;
    std::optional<std::string> every;
    std::uint64_t keep = 0;

    static constexpr auto options() {
        return sdk::options(
            sdk::option("max_bytes", &rolling_config::max_bytes)
                .size()
                .at_least(1)
                .doc("A file does not become larger: the record that has no room in it begins the next one."),
            sdk::option("every", &rolling_config::every)
                .doc("A time, as `1h`, with the unit `s`, `m`, `h` or `d`: the first record of the next such period in UTC begins the next "
                     "file."),
            sdk::option("keep", &rolling_config::keep).by_default(0).doc("So many older files are kept, the oldest are removed; 0: all."));
    }
};

struct config {
    sdk::path_template path;  // with tokens: of the file that each message names
    std::string delimiter, compression, name_by;
    record_format format = record_format::normal;
    read_mode mode = read_mode::consume;
    fsync_mode fsync = fsync_mode::off;
    csv_config csv;
    rolling_config rolling;
    std::optional<std::string> group_id;
    std::optional<encryption_config> encryption;
    std::optional<bool> idempotency;
    std::optional<std::uint64_t> max_message_bytes;
    bool remove = false, read_from_tail = false, source_metadata = false;
    std::uint64_t fsync_interval_ms = 1000, max_record_bytes = 0, max_open_files = 64;

    static constexpr auto options() {
        using enum record_format;
        return sdk::options(
            sdk::option("path", &config::path)
                .required()
                .not_empty()
                .uri_path()
                .exclusive_path()
                .doc("The file; of an input also all that match `*`, `?` or `[…]`, or, with a `/` at its end, all of a folder; of an "
                     "output also a template, such as `out/${metadata:country}.jsonl` (README.md). `-`, `/dev/stdin` and `/dev/stdout` "
                     "are the standard streams; other devices and FIFOs are refused."),
            sdk::option("format", &config::format)
                .by_default("normal")
                .value("normal", normal)
                .value("envelope", normal)
                .value("json", json)
                .value("envelope_json", json)
                .value("text", text)
                .value("envelope_text", text)
                .value("raw", raw)
                .value("payload", raw)
                .value("csv", csv)
                .uri_query()
                .doc("How a record is written (README.md)."),
            sdk::option("mode", &config::mode)
                .by_default("consume")
                .value("consume", read_mode::consume)
                .value("subscribe", read_mode::subscribe)
                .value("group_subscribe", read_mode::group_subscribe)
                .consumer_only()
                .uri_query()
                .doc("`consume`: from the first byte on every start. `subscribe`: from its end on. `group_subscribe`: from where the group "
                     "was (README.md)."),
            sdk::option("delimiter", &config::delimiter).by_default("\n").uri_query().doc("What ends a record: one byte, or `0xNN`."),
            sdk::option("csv", &config::csv).doc("The dialect of `format: csv`."),
            sdk::option("max_record_bytes", &config::max_record_bytes)
                .by_default(100 << 20)
                .size()
                .at_least(1)
                .consumer_only()
                .uri_query()
                .doc("A longer record is an error of that record."),
            sdk::option("max_message_bytes", &config::max_message_bytes)
                .size()
                .publisher_only()
                .uri_query()
                .doc("A message with a longer payload is refused. Unset: none is."),
            sdk::option("fsync", &config::fsync)
                .by_default("off")
                .value("off", fsync_mode::off)
                .value("batch", fsync_mode::batch)
                .value("periodic", fsync_mode::periodic)
                .publisher_only()
                .uri_query()
                .doc("When a message is done. `off`: when the system has it. `batch`: when it is on the disk. `periodic`: as `off`, and it "
                     "is on the "
                     "disk within fsync_interval_ms."),
            sdk::option("fsync_interval_ms", &config::fsync_interval_ms)
                .by_default(1000)
                .at_least(1)
                .publisher_only()
                .uri_query()
                .doc("Of `periodic`."),
            sdk::option("max_open_files", &config::max_open_files)
                .by_default(64)
                .at_least(1)
                .at_most(100000)
                .publisher_only()
                .uri_query()
                .doc(
                    "Of a `path` that is a template: so many files are open; the one that was not written for the longest time is closed."),
            sdk::option("rolling", &config::rolling)
                .publisher_only()
                .doc("Leaves the file for a new one, and gives it a name with the time (README.md)."),
            sdk::option("delete", &config::remove)
                .by_default(false)
                .consumer_only()
                .uri_query()
                .doc("With `consume` and `subscribe`: what is acknowledged is removed from the file (README.md)."),
            sdk::option("group_id", &config::group_id)
                .consumer_only()
                .uri_query()
                .doc("Of `group_subscribe`: names the file that holds its position."),
            sdk::option("read_from_tail", &config::read_from_tail)
                .by_default(false)
                .consumer_only()
                .uri_query()
                .doc("Of `group_subscribe`: without a stored position it starts at the end."),
            sdk::option("source_metadata", &config::source_metadata)
                .by_default(false)
                .consumer_only()
                .uri_query()
                .doc("Each message says in its metadata where it is from: `mqb.src.file_path`, `mqb.src.file_record` (README.md)."),
            sdk::option("compression", &config::compression)
                .by_default("none")
                .value("none")
                .value("gzip")
                .value("lz4")
                .value("zstd")
                .value("auto")
                .uri_query()
                .by_default_in_uri("auto")
                .doc("One self-contained member for each batch (README.md). `auto`: by the end of the path, `.gz`, `.lz4` or `.zst`, also "
                     "in "
                     "front of `.enc`; else none."),
            sdk::option("encryption", &config::encryption).doc("Each batch is sealed, after it was compressed (README.md)."),
            sdk::option("name_by", &config::name_by)
                .by_default("auto")
                .value("auto")
                .value("write_time")
                .value("source_position")
                .publisher_only()
                .uri_query()
                .doc("`source_position`: `path` is a directory of files that are called after the positions of what they hold, and a "
                     "message that "
                     "one of them has is not written again (README.md)."),
            sdk::option("idempotency", &config::idempotency)
                .publisher_only()
                .deprecated()
                .uri_query()
                .doc("Old for `name_by: source_position`."));
    }
    // Throws what a schema cannot say.
    void check(std::uint32_t side) const;

    // Of a configuration that was checked.
    char delimiter_byte() const;
    csv_dialect dialect() const;
    bool has_csv_settings() const;
    bool rolls() const { return rolling.max_bytes || rolling.every; }
    packing packed() const;
    bool is_parts() const { return name_by == "source_position" || idempotency.value_or(false); }
    bool is_group() const { return mode == read_mode::group_subscribe; }
};

// The same, and where its path is "-", the standard stream of the side.
config with_stream(config chosen, std::uint32_t side);

inline constexpr std::string_view standard_input = "/dev/stdin";
inline constexpr std::string_view standard_output = "/dev/stdout";

}  // namespace mqb::file
