#include "host/config/secret_file.hpp"

#include "host/config/scalar.hpp"

#include <simdjson.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>

namespace mqb::config {

namespace {

struct opened {
    int number;
    ~opened() {
        if (number >= 0) ::close(number);
    }
};

core::failure failed(const std::string& path, const std::string& why) {
    return {core::status::bad_config, path + " cannot be read: " + why};
}

}  // namespace

core::result<std::string> read_secret_file(const std::string& path, std::size_t largest) {
    if (const std::string fault = fault_in_name(path); !fault.empty()) return failed(path.substr(0, path.find('\0')) + "…", fault);
    const opened file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};  // a pipe must not hold us up
    if (file.number < 0) return failed(path, std::strerror(errno));
    struct stat about {};
    if (::fstat(file.number, &about) != 0) return failed(path, std::strerror(errno));
    if (!S_ISREG(about.st_mode)) return failed(path, "is not a file");
    std::string text(largest + 1, '\0');
    std::size_t size = 0;
    while (size < text.size()) {
        const ssize_t n = ::read(file.number, text.data() + size, text.size() - size);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return failed(path, std::strerror(errno));
        if (n == 0) break;
        size += static_cast<std::size_t>(n);
    }
    if (size > largest) return failed(path, "is larger than " + std::to_string(largest) + " bytes");
    text.resize(size);
    if (text.ends_with('\n')) text.pop_back();
    if (text.ends_with('\r')) text.pop_back();
    if (!simdjson::validate_utf8(text.data(), text.size())) return failed(path, "is not UTF-8");
    return text;
}

}  // namespace mqb::config
