#include "host/admin/address.hpp"

#include "host/state/file_fault.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <algorithm>
#include <string>
#include <utility>

namespace mqb::host::admin {

core::result<address> address::of(const std::filesystem::path& socket_file) {
    address out;
    std::string path = socket_file.string();
    if (path.size() >= sizeof out.name_.sun_path) {
        out.folder_ = ::open(socket_file.parent_path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
        if (out.folder_ < 0) return state::file_fault(socket_file.parent_path(), "cannot be opened");
        path = "/proc/self/fd/" + std::to_string(out.folder_) + '/' + socket_file.filename().string();
    }
    out.name_.sun_family = AF_UNIX;
    std::copy_n(path.c_str(), std::min(path.size() + 1, sizeof out.name_.sun_path - 1), out.name_.sun_path);
    return out;
}

address::address(address&& other) noexcept : name_(other.name_), folder_(std::exchange(other.folder_, -1)) {}

address::~address() {
    if (folder_ >= 0) ::close(folder_);
}

}  // namespace mqb::host::admin
