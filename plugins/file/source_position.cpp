#include "source_position.hpp"

#include <array>
#include <charconv>
#include <cstdio>

#include <mqb/sdk/text.hpp>

#include "small_file.hpp"

namespace mqb::file {
namespace {

using sdk::metadata_entry;

// The keys by which sources say where a message stood.
struct keys {
    std::string_view kind, place, epoch, partition, number;
};
constexpr std::array known{
    keys{"file", "mqb.src.file_path", "mqb.src.file_epoch", {}, "mqb.src.file_record"},
    keys{"kafka", "mqb.src.kafka_topic", {}, "mqb.src.kafka_partition", "mqb.src.kafka_offset"},
};

std::optional<std::uint64_t> number_of(const std::optional<metadata_entry>& entry) {
    if (!entry) return std::nullopt;
    if (const auto number = entry->as_int()) return *number >= 0 ? std::optional(static_cast<std::uint64_t>(*number)) : std::nullopt;
    const auto text = entry->as_text();
    std::uint64_t value = 0;
    if (!text || text->empty()) return std::nullopt;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
    return error == std::errc{} && end == text->data() + text->size() ? std::optional(value) : std::nullopt;
}

// <kind>-<last part of the place>-<16 hex of all of it>, at most so long that a file's name has room for the rest.
std::string name_for_files(std::string_view kind, std::string_view place, std::string_view whole) {
    constexpr std::size_t longest = 120;
    std::string name(place.substr(place.rfind('/') + 1).substr(0, longest));
    for (char& byte : name)
        if (static_cast<unsigned char>(byte) < 0x20 || byte == 0x7f) byte = '_';
    std::array<char, 17> hex{};
    std::snprintf(hex.data(), hex.size(), "%016llx", static_cast<unsigned long long>(checksum(whole)));
    return sdk::join(kind, "-", name, "-", std::string_view(hex.data()));
}

}  // namespace

std::optional<source_position> position_reader::look(sdk::metadata_view metadata) {
    for (const keys& of : known) {
        const auto place = metadata.get(of.place);
        if (!place || !place->as_text()) continue;
        const auto number = number_of(metadata.get(of.number));
        const auto partition = of.partition.empty() ? std::optional<std::uint64_t>(0) : number_of(metadata.get(of.partition));
        if (!number || !partition) return std::nullopt;
        // Numbers begin anew with each epoch: another one is another source.
        const auto epoch = of.epoch.empty() ? std::nullopt : number_of(metadata.get(of.epoch));
        const std::string_view said = *place->as_text();
        std::array<char, 21> tail{};  // a NUL, which no path has, and the digits
        const char* const end = epoch ? std::to_chars(tail.data() + 1, tail.data() + tail.size(), *epoch).ptr : tail.data();
        const std::string_view epoch_text(tail.data(), static_cast<std::size_t>(end - tail.data()));
        const std::string_view before = place_;
        const bool is_same = kind_ == of.kind && before.size() == said.size() + epoch_text.size() && before.starts_with(said) &&
                             before.ends_with(epoch_text);
        if (!is_same) {
            kind_ = of.kind;
            place_.assign(said).append(epoch_text);
            source_ = name_for_files(of.kind, said, place_);
        }
        return source_position{source_, *partition, *number};
    }
    return std::nullopt;
}

}  // namespace mqb::file
