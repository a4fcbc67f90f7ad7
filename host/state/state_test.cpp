#include "host/state/state_test.hpp"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <mutex>

namespace mqb::state {

namespace fs = std::filesystem;

scratch_folder::scratch_folder() {
    std::string name = (fs::temp_directory_path() / ("mqb-state-" + std::string(6, 'X'))).string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = name;
}

scratch_folder::~scratch_folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

child_process::child_process(const std::function<int(int)>& work) {
    int ends[2];
    REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
    id_ = ::fork();
    REQUIRE(id_ >= 0);
    if (id_ == 0) {
        ::close(ends[0]);
        ::_exit(work(ends[1]));
    }
    ::close(ends[1]);
    from_ = ends[0];
}

child_process::~child_process() {
    kill();
    if (id_ > 0) (void)end();
    ::close(from_);
}

std::string child_process::line() {
    std::size_t at;
    while ((at = read_.find('\n')) == std::string::npos) {
        char part[256];
        const ssize_t size = ::read(from_, part, sizeof part);
        if (size <= 0) return {};
        read_.append(part, static_cast<std::size_t>(size));
    }
    std::string out = read_.substr(0, at);
    read_.erase(0, at + 1);
    return out;
}

std::string child_process::rest() {
    char part[256];
    for (ssize_t size; (size = ::read(from_, part, sizeof part)) > 0;) read_.append(part, static_cast<std::size_t>(size));
    return std::move(read_);
}

void child_process::kill() noexcept {
    if (id_ > 0) ::kill(id_, SIGKILL);
}

int child_process::end() {
    if (id_ <= 0) return result_;
    int status = 0;
    while (::waitpid(id_, &status, 0) < 0 && errno == EINTR) {}
    id_ = -1;
    return result_ = WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

namespace {

int say(int to, const std::string& text) { return ::write(to, text.data(), text.size()) == static_cast<ssize_t>(text.size()) ? 0 : 1; }

bool write_file(const char* path, const std::string& text) {
    std::ofstream out{path};
    out << text;
    return static_cast<bool>(out.flush());
}

// Mounts of one's own: root just takes them, another user becomes root in a name space.
bool enter_mounts() {
    const uid_t user = ::geteuid();
    const gid_t group = ::getegid();
    if (user != 0) {
        if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
        return write_file("/proc/self/setgroups", "deny") && write_file("/proc/self/uid_map", "0 " + std::to_string(user) + " 1") &&
               write_file("/proc/self/gid_map", "0 " + std::to_string(group) + " 1");
    }
    return ::unshare(CLONE_NEWNS) == 0 && ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

}  // namespace

std::string as_nobody(const fs::path& in, const std::function<std::string()>& work) {
    constexpr uid_t nobody = 65534;
    if (::geteuid() == 0) REQUIRE(::chown(in.c_str(), nobody, nobody) == 0);
    child_process child{[&](int to) {
        if (::geteuid() == 0 && (::setgid(nobody) != 0 || ::setuid(nobody) != 0)) return 1;
        return say(to, work());
    }};
    std::string out = child.rest();
    REQUIRE(child.end() == 0);
    return out;
}

std::string with_small_disk(const fs::path& in, std::uint64_t bytes, const std::function<std::string()>& work) {
    child_process child{[&](int to) {
        const std::string options = "mode=700,size=" + std::to_string(bytes);
        if (!enter_mounts() || ::mount("none", in.c_str(), "tmpfs", 0, options.c_str()) != 0) return 0;
        return say(to, work());
    }};
    std::string out = child.rest();
    REQUIRE(child.end() == 0);
    if (out.empty()) MESSAGE("skipped: this system lets nobody mount a file system of his own");
    return out;
}

bool make_read_only(const fs::path& in) { return ::mount("none", in.c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr) == 0; }

boost::asio::io_context& kept_context() {
    static std::mutex mutex;
    static auto& all = *new std::vector<std::unique_ptr<boost::asio::io_context>>;
    std::lock_guard lock{mutex};
    return *all.emplace_back(std::make_unique<boost::asio::io_context>());
}

core::buffer bytes_of(std::string_view text) { return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size(), nullptr}; }

test_letters::test_letters(std::uint64_t first, std::uint64_t count) : payloads(count), messages(count), notes(count), letters(count) {
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t n = first + i;
        payloads[i] = "payload " + std::to_string(n);
        messages[i].lane = n;
        messages[i].id[15] = static_cast<std::uint8_t>(n);
        messages[i].payload = bytes_of(payloads[i]);
        notes[i].endpoint = "output";
        notes[i].error = "refused " + std::to_string(n);
        notes[i].attempts = 1;
        notes[i].first_at = 1000 + n;
        notes[i].last_at = 2000 + n;
        letters[i] = {"orders", core::death::refused, &notes[i], &messages[i]};
    }
}

core::status bury(core::dead_letter_store& to, route_side& side, std::span<const core::dead_letter> letters, std::string* text) {
    answered<core::bury_call> call;
    call.letters = letters;
    const core::status out = call.wait(to.bury(call), side);
    if (text) *text = call.texts.best(core::whole_call);
    return out;
}

std::vector<letter> stored(const fs::path& file, const letter_filter& filter) {
    auto archive = letter_archive::open(file);
    REQUIRE_MESSAGE(archive.has_value(), (archive ? "" : archive.error().text));
    auto all = archive->list(filter, 0, UINT32_MAX);
    REQUIRE_MESSAGE(all.has_value(), (all ? "" : all.error().text));
    return std::move(*all);
}

}  // namespace mqb::state
