// Chunk files: which files of a spool belong to chunks.
//
//   000000007.bin       the payload        000000007.bin.tmp     … while it is written
//   000000007.json      its sidecar        000000007.json.tmp
//   000000007.bin.refused                  a chunk that was longer than the reader takes; its sidecar gets the same ending
#pragma once

#include <string>
#include <string_view>

namespace mqb::dir_spool {

inline constexpr std::string_view unfinished_extension = "tmp", refused_extension = "refused";

// Bytes of a file name, and of what may stand behind that of a chunk: ".4294967295.refused".
inline constexpr std::size_t longest_name = 255, longest_ending = 1 + 10 + 1 + refused_extension.size();

constexpr std::string_view without_dot(std::string_view extension) noexcept {
    return extension.starts_with('.') ? extension.substr(1) : extension;
}

enum class file_kind { foreign, payload, sidecar, unfinished, refused };

// What a file name says; `stem` is the name of the chunk, without any extension.
struct file_role {
    file_kind kind = file_kind::foreign;
    std::string_view stem;
};

class chunk_files {
public:
    chunk_files(std::string_view payload_extension, std::string_view metadata_extension);

    std::string payload(std::string_view chunk) const { return std::string(chunk) += payload_; }
    std::string sidecar(std::string_view chunk) const { return std::string(chunk) += sidecar_; }
    bool has_sidecars() const noexcept { return !sidecar_.empty(); }
    file_role role_of(std::string_view file) const noexcept;

    static std::string unfinished(std::string file) { return file += ".tmp"; }
    // The number tells it from others of this name. A name that leaves no room for that, which is none of a producer's, is cut.
    static std::string refused(const std::string& file, unsigned number = 1);

private:
    std::string payload_, sidecar_;  // with their dots; no sidecars: empty
};

}  // namespace mqb::dir_spool
