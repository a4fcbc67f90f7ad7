#include "workplace.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>

namespace mqb::conformance {
namespace fs = std::filesystem;
namespace {
std::string started_in = ".";
}

workplace::workplace(const std::string& directory) : before_(open(".", O_PATH | O_DIRECTORY | O_CLOEXEC)) {
    fs::create_directories(directory);
    if (before_ < 0 || chdir(directory.c_str()) != 0) throw std::runtime_error(directory + ": " + std::strerror(errno));
}
workplace::~workplace() {
    if (fchdir(before_) != 0) std::abort();  // what runs next would leave its files anywhere
    close(before_);
}

void start_here() { started_in = fs::current_path().string(); }

std::string as_meant_at_start(const std::string& path) {
    return path.empty() || path.front() == '/' || path.front() == '$' ? path : (fs::path(started_in) / path).lexically_normal().string();
}

void paths_as_meant_at_start(boost::json::value& v) {
    if (auto* text = v.if_string()) {
        const std::string path(*text);
        std::error_code ignored;
        const bool relative = path.rfind("./", 0) == 0 || path.rfind("../", 0) == 0;
        if (relative || (!path.empty() && path.front() != '/' && fs::is_regular_file(as_meant_at_start(path), ignored)))
            v = boost::json::string(as_meant_at_start(path));
    } else if (auto* object = v.if_object()) {
        for (auto& [key, value] : *object) paths_as_meant_at_start(value);
    } else if (auto* array = v.if_array()) {
        for (auto& value : *array) paths_as_meant_at_start(value);
    }
}

int run_at_start(const std::string& command) {
    const std::string quoted = [] {
        std::string out = "'";
        for (const char c : started_in) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
        return out + "'";
    }();
    return std::system(("cd " + quoted + " && { " + command + "\n}").c_str());
}

}  // namespace mqb::conformance
