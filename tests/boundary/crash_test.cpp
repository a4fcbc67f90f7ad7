// What a crash says: each case runs in a program of its own whose standard error is read.
#include "plugin_folder.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mqb;
using namespace mqb::boundary;

namespace {

struct ending {
    std::string text;
    int how = 0;
};

// child.cpp says what each case does.
ending run(const std::string& name, const fs::path& file = {}) {
    int pipe[2];
    REQUIRE(::pipe2(pipe, O_CLOEXEC) == 0);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, pipe[1], STDERR_FILENO);
    std::string program = MQB_BOUNDARY_CHILD, word = name, path = file.string();
    char* words[] = {program.data(), word.data(), path.data(), nullptr};
    pid_t child = 0;
    REQUIRE(::posix_spawn(&child, program.c_str(), &actions, nullptr, words, environ) == 0);
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(pipe[1]);
    ending out;
    char part[512];
    for (ssize_t n; (n = ::read(pipe[0], part, sizeof part)) > 0;) out.text.append(part, static_cast<std::size_t>(n));
    ::close(pipe[0]);
    ::waitpid(child, &out.how, 0);
    return out;
}

}  // namespace

TEST_CASE("a crash inside a call names plugin, function and route, and ends as it would have") {
    const ending e = run("fault-in-call");
    CHECK(e.text == "mqbridge: SIGSEGV in plugin kafka.receive (route orders)\n");
    CHECK(WIFSIGNALED(e.how));
    CHECK(WTERMSIG(e.how) == SIGSEGV);
}

TEST_CASE("an abort inside a call on another thread is named, and a stack that overflowed does not hide it") {
    const ending aborted = run("abort-on-thread");
    CHECK(aborted.text == "mqbridge: SIGABRT in plugin kafka.free (route orders)\n");
    CHECK(WTERMSIG(aborted.how) == SIGABRT);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    CHECK(run("overflow-on-thread").text == "mqbridge: SIGSEGV in plugin kafka.send (route orders)\n");
#endif
}

TEST_CASE("a crash outside of any plugin is not blamed on one") {
    const ending e = run("raise-after-call");
    CHECK(e.text == "mqbridge: SIGFPE\n");
    CHECK(WTERMSIG(e.how) == SIGFPE);
}

TEST_CASE("a crash on a plugin's own thread, or in a function that calls abort, names its library") {
    const plugin_folder folder;
    const fs::path file = folder.add("small", "small");
    CHECK(run("fault-in-library", file).text == "mqbridge: SIGSEGV in a thread of plugin small\n");
    CHECK(run("abort-in-library", file).text == "mqbridge: SIGABRT in a thread of plugin small\n");
}

TEST_CASE("the handler that was there before runs afterwards") {
    const ending e = run("handler-before");
    CHECK(e.text == "mqbridge: SIGSEGV in plugin kafka.connect (route orders)\nbefore\n");
    CHECK(WIFEXITED(e.how));
    CHECK(WEXITSTATUS(e.how) == 7);
}

TEST_CASE("a handler that a plugin has put over the host's runs after it, and may call what it had found") {
    const ending e = run("handler-after");
    CHECK(e.text == "mqbridge: SIGSEGV in plugin kafka.connect (route orders)\ntheirs\n");
    CHECK(WIFSIGNALED(e.how));
    CHECK(WTERMSIG(e.how) == SIGSEGV);
}

TEST_CASE("a crash signal that a plugin ignores is the host's again, and ends the process") {
    const ending e = run("ignored-after");
    CHECK(e.text == "SIGABRT\nmqbridge: SIGABRT in plugin kafka.connect (route orders)\n");
    CHECK(WIFSIGNALED(e.how));
    CHECK(WTERMSIG(e.how) == SIGABRT);
}
