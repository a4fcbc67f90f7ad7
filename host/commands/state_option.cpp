#include "host/commands/state_option.hpp"

#include "host/state/state_directory.hpp"

#include <cstdlib>

namespace mqb::host {

core::result<std::filesystem::path> find_state_directory(const std::string& option, const std::string& from_file) {
    if (!option.empty()) return std::filesystem::path{option};
    if (!from_file.empty()) return std::filesystem::path{from_file};
    if (const char* variable = std::getenv("MQB_STATE_DIR"); variable && *variable) return std::filesystem::path{variable};
    return state::default_state_directory();
}

}  // namespace mqb::host
