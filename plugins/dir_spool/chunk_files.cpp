#include "chunk_files.hpp"

#include <algorithm>
#include <optional>

namespace mqb::dir_spool {
namespace {

std::string dotted(std::string_view extension) {
    const std::string_view bare = without_dot(extension);
    return bare.empty() ? std::string{} : "." + std::string(bare);
}

// Without the ".2" that tells files of one name from each other.
std::string_view without_number(std::string_view name) noexcept {
    const std::size_t dot = name.rfind('.');
    const bool is_number =
        dot != std::string_view::npos && dot + 1 < name.size() && name.find_first_not_of("0123456789", dot + 1) == std::string_view::npos;
    return is_number ? name.substr(0, dot) : name;
}

}  // namespace

chunk_files::chunk_files(std::string_view payload_extension, std::string_view metadata_extension)
    : payload_(dotted(payload_extension)), sidecar_(dotted(metadata_extension)) {}

std::string chunk_files::refused(const std::string& file, unsigned number) {
    const std::string ending = (number > 1 ? '.' + std::to_string(number) : std::string{}) + ".refused";
    const std::size_t start = file.rfind('/') + 1;  // npos + 1 is 0
    return file.substr(0, start + std::min(file.size() - start, longest_name - ending.size())) + ending;
}

file_role chunk_files::role_of(std::string_view file) const noexcept {
    std::optional<file_kind> kind;
    std::string_view whole = file;
    if (file.ends_with(".tmp")) {
        kind = file_kind::unfinished;
        whole = file.substr(0, file.size() - 4);
    } else if (file.ends_with(".refused")) {
        kind = file_kind::refused;
        whole = without_number(file.substr(0, file.size() - 8));
    }
    const auto is_of = [whole](std::string_view extension) { return whole.size() > extension.size() && whole.ends_with(extension); };
    const auto stem = [whole](std::string_view extension) { return whole.substr(0, whole.size() - extension.size()); };
    if (is_of(payload_)) return {kind.value_or(file_kind::payload), stem(payload_)};
    if (has_sidecars() && is_of(sidecar_)) return {kind.value_or(file_kind::sidecar), stem(sidecar_)};
    return {};
}

}  // namespace mqb::dir_spool
