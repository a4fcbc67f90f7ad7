#include "config.hpp"

#include <strings.h>
#include <array>

#include <mqb/plugin.h>

#include "chunk_files.hpp"
#include "naming.hpp"

namespace mqb::dir_spool {
namespace {

bool is_same(std::string_view a, std::string_view b) noexcept {
    return a.size() == b.size() && ::strncasecmp(a.data(), b.data(), a.size()) == 0;
}

// Whether the name ends with a dot and the extension, in whatever case.
bool has_extension(std::string_view name, std::string_view extension) noexcept {
    return name.size() > extension.size() && name[name.size() - extension.size() - 1] == '.' &&
           is_same(name.substr(name.size() - extension.size()), extension);
}

void check_extension(std::string_view option, std::string_view written) {
    const std::string_view extension = without_dot(written);
    if (extension.empty()) throw sdk::bad_config(option, ": an extension is needed");
    if (extension.find_first_of(std::string_view("/\0", 2)) != std::string_view::npos || extension.size() > 64)
        throw sdk::bad_config(option, ": at most 64 bytes without \"/\" were expected, not \"", written, '"');
    for (const std::string_view ours : {unfinished_extension, refused_extension})
        if (is_same(extension, ours) || has_extension(extension, ours))
            throw sdk::bad_config(option, ": files that end with .", ours, " are no chunks for a reader; \"", written, "\" cannot be used");
}

struct control_file {
    std::string_view option, name;
};

void check_control_file(const control_file& file, const config& c) {
    if (file.name.empty() || file.name == "." || file.name == ".." || file.name.size() > longest_name ||
        file.name.find_first_of(std::string_view("/\0", 2)) != std::string_view::npos)
        throw sdk::bad_config(file.option, ": the name of a file in the spool was expected, without \"/\", not \"", file.name, '"');
    const auto refuse_ending = [&](std::string_view extension, std::string_view what) {
        if (!extension.empty() && has_extension(file.name, extension))
            throw sdk::bad_config(file.option, ": \"", file.name, "\" ends with .", extension, what);
    };
    refuse_ending(without_dot(c.payload_extension), ", the payload_extension: it would be read as a chunk");
    refuse_ending(without_dot(c.metadata_extension), ", the metadata_extension: it would be read as a sidecar");
    refuse_ending(unfinished_extension, ", like a chunk that is being written");
    refuse_ending(refused_extension, ", like a chunk that was refused");
    if (c.shard_depth > 0 && file.name.size() == c.shard_width && file.name.find_first_not_of("0123456789") == std::string_view::npos)
        throw sdk::bad_config(file.option, ": \"", file.name, "\" is the name of a shard directory");
}

}  // namespace

void config::check(std::uint32_t side) const {
    if (path.find('\0') != std::string::npos) throw sdk::bad_config("path: a path has no zero bytes");
    check_extension("payload_extension", payload_extension);
    const std::string_view payload = without_dot(payload_extension), sidecar = without_dot(metadata_extension);
    if (!metadata_extension.empty()) {
        check_extension("metadata_extension", metadata_extension);
        if (is_same(payload, sidecar) || has_extension(payload, sidecar) || has_extension(sidecar, payload))
            throw sdk::bad_config("metadata_extension: must differ from payload_extension: one of \"", payload, "\" and \"", sidecar,
                                  "\" is the end of the other");
    }
    const std::array<control_file, 3> files{control_file{"done_file", done_file}, control_file{"producer_file", producer_file},
                                            control_file{"consumer_file", consumer_file}};
    for (std::size_t i = 0; i < files.size(); ++i) {
        check_control_file(files[i], *this);
        for (std::size_t k = 0; k < i; ++k)
            if (is_same(files[i].name, files[k].name))
                throw sdk::bad_config(files[i].option, ": \"", files[i].name, "\" is the ", files[k].option,
                                      " too (upper and lower case are the same)");
    }
    if (side != MQB_SIDE_PUBLISHER) return;
    const naming names(naming_pattern, {shard_depth, shard_width});
    const std::size_t longest = names.longest() + 1 + std::max(payload.size(), sidecar.size()) + longest_ending;
    if (longest > longest_name)
        throw sdk::bad_config("naming_pattern: a name would have up to ", longest,
                              " bytes, the ending of a refused chunk included; a file name has at most ", longest_name);
}

}  // namespace mqb::dir_spool
