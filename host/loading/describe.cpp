#include "host/loading/describe.hpp"

#include "host/loading/disposable_thread.hpp"
#include "host/loading/exit_guard.hpp"
#include "host/loading/library.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>

namespace mqb::loading {

namespace {

constexpr std::size_t longest_answer = 1u << 20;

core::failure fault(const std::filesystem::path& file, std::string why) {
    return {core::status::bad_config, file.string() + ": " + std::move(why)};
}

bool write_all(int fd, std::string_view text) {
    while (!text.empty()) {
        const ssize_t n = ::write(fd, text.data(), text.size());
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
}

// Never returns.
[[noreturn]] void run_child(int to_parent, char* const* command, const char* file) {
    const rlimit no_core{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTERM, SIGINT, SIGPIPE}) ::signal(signal, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nowhere, fd);
    if (!command) std::fflush(stdout);  // what the parent had not written yet is the parent's
    ::dup2(to_parent, STDOUT_FILENO);
    if (!command) describe_main(file);
    ::execv(command[0], command);
    ::_exit(127);
}

// What the child writes until it ends or the limit passes. False: it did not end.
bool read_answer(int from, std::chrono::steady_clock::time_point until, std::string& answer) {
    char part[4096];
    for (;;) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now()).count();
        if (left <= 0) return false;
        pollfd p{from, POLLIN, 0};
        const int ready = ::poll(&p, 1, static_cast<int>(left));
        if (ready < 0 && errno == EINTR) continue;
        if (ready <= 0) return false;
        const ssize_t n = ::read(from, part, sizeof part);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return true;
        if (answer.size() < longest_answer) answer.append(part, static_cast<std::size_t>(n));
    }
}

// Waits for the end of the child, which may come long after that of its answer. False: the time is over.
bool await_end(pid_t child, std::chrono::steady_clock::time_point until, int& how) {
    for (;;) {
        const pid_t ended = ::waitpid(child, &how, WNOHANG);
        if (ended == child) return true;
        if (ended < 0 && errno != EINTR) return false;
        if (std::chrono::steady_clock::now() >= until) return false;
        ::poll(nullptr, 0, 2);
    }
}

}  // namespace

core::result<description> describer::describe(const std::filesystem::path& file) const {
    int pipe[2];
    if (::pipe2(pipe, O_CLOEXEC) != 0) return fault(file, std::string{"cannot be described: "} + std::strerror(errno));
    std::vector<char*> words;
    for (const std::string& word : command_) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(const_cast<char*>(file.c_str()));
    words.push_back(nullptr);
    const pid_t child = ::fork();
    if (child < 0) {
        ::close(pipe[0]);
        ::close(pipe[1]);
        return fault(file, std::string{"cannot be described: "} + std::strerror(errno));
    }
    if (child == 0) run_child(pipe[1], command_.empty() ? nullptr : words.data(), file.c_str());
    ::close(pipe[1]);
    std::string answer;
    const auto until = std::chrono::steady_clock::now() + limit_;
    int how = 0;
    const bool ended = read_answer(pipe[0], until, answer) && await_end(child, until, how);
    ::close(pipe[0]);
    if (!ended) {
        ::kill(child, SIGKILL);
        while (::waitpid(child, &how, 0) < 0 && errno == EINTR) {}
    }
    if (!ended) return fault(file, "did not come back within " + limit_text(limit_) + " when it was opened");
    if (WIFSIGNALED(how)) {
        const char* name = ::sigabbrev_np(WTERMSIG(how));
        return fault(file, "crashes with SIG" + std::string{name ? name : "?"} + " when it is opened");
    }
    if (answer.empty()) return fault(file, "ended the process with exit code " + std::to_string(WEXITSTATUS(how)) + " when it was opened");
    core::result<description> about = description_from_json(answer);
    if (about || about.error().what == core::status::bad_config) return about;
    return fault(file, about.error().text);
}

void describe_main(const char* file) {
    expect_exit();  // a library that ends the process is told by its exit code
    // Standard output belongs to the answer; what a static constructor prints must not get in between.
    std::fflush(stdout);
    const int answer = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    ::dup2(STDERR_FILENO, STDOUT_FILENO);
    core::result<std::shared_ptr<const library>> opened = library::open(file);
    const std::string text =
        opened ? to_json((*opened)->about()) : boost::json::serialize(boost::json::value{{"why", opened.error().text}});
    const bool is_written = write_all(answer, text + "\n");
    std::fflush(stdout);
    ::_exit(opened && is_written ? 0 : 1);  // no destructor of the library runs
}

}  // namespace mqb::loading
