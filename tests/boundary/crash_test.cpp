// What a crash says: each case runs in a child whose standard error is read.
#include "host/loading/crash_naming.hpp"
#include "host/loading/enter.hpp"
#include "plugin_folder.hpp"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <thread>

using namespace mqb;
using namespace mqb::boundary;
using namespace mqb::loading;

namespace {

struct ending {
    std::string text;
    int how = 0;
};

// The previous handlers, doctest's or a sanitizer's, are set aside in the child.
ending run(const std::function<void()>& work) {
    int pipe[2];
    REQUIRE(::pipe(pipe) == 0);
    const pid_t child = ::fork();
    if (child == 0) {
        ::dup2(pipe[1], STDERR_FILENO);
        for (const int s : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) ::signal(s, SIG_DFL);
        ::alarm(30);
        work();
        ::_exit(99);
    }
    ::close(pipe[1]);
    ending out;
    char part[512];
    for (ssize_t n; (n = ::read(pipe[0], part, sizeof part)) > 0;) out.text.append(part, static_cast<std::size_t>(n));
    ::close(pipe[0]);
    ::waitpid(child, &out.how, 0);
    return out;
}

void call(entry_point which, const std::function<void()>& work) {
    enter(place_of("kafka", "orders", "input")[which], work, [](const call_site&, std::string_view) {});
}

int* volatile nowhere = reinterpret_cast<int*>(8);  // a null pointer would be found by a sanitizer first

}  // namespace

TEST_CASE("a crash inside a call names plugin, function and route, and ends as it would have") {
    const ending e = run([] {
        install_crash_naming();
        call(entry_point::receive, [] { *nowhere = 1; });
    });
    CHECK(e.text == "mqbridge: SIGSEGV in plugin kafka.receive (route orders)\n");
    CHECK(WIFSIGNALED(e.how));
    CHECK(WTERMSIG(e.how) == SIGSEGV);
}

TEST_CASE("an abort inside a call on another thread is named, and a stack that overflowed does not hide it") {
    const ending aborted = run([] {
        install_crash_naming();
        std::thread([] { call(entry_point::free, [] { std::abort(); }); }).join();
    });
    CHECK(aborted.text == "mqbridge: SIGABRT in plugin kafka.free (route orders)\n");
    CHECK(WTERMSIG(aborted.how) == SIGABRT);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    struct deep {
        static int down(volatile char* above, int n) {
            volatile char room[4096];
            room[0] = above ? above[0] : '\0';
            return n < 0 ? room[0] : down(room, n + 1) + room[0];
        }
    };
    const ending overflowed = run([] {
        install_crash_naming();
        std::thread([] { call(entry_point::send, [] { deep::down(nullptr, 1); }); }).join();
    });
    CHECK(overflowed.text == "mqbridge: SIGSEGV in plugin kafka.send (route orders)\n");
#endif
}

TEST_CASE("a crash outside of any plugin is not blamed on one") {
    const ending e = run([] {
        install_crash_naming();
        call(entry_point::send, [] {});
        ::raise(SIGFPE);
    });
    CHECK(e.text == "mqbridge: SIGFPE\n");
    CHECK(WTERMSIG(e.how) == SIGFPE);
}

TEST_CASE("a crash on a plugin's own thread, or in a function that calls abort, names its library") {
    const plugin_folder folder;
    const fs::path file = folder.add("small", "small");
    auto in_library = [&](std::size_t which) {
        return run([&] {
            install_crash_naming();
            auto lib = library::open(file);
            auto* functions = static_cast<void (*const*)()>((*lib)->table("crash"));
            functions[which]();
        });
    };
    CHECK(in_library(0).text == "mqbridge: SIGSEGV in a thread of plugin small\n");
    CHECK(in_library(1).text == "mqbridge: SIGABRT in a thread of plugin small\n");
}

TEST_CASE("the handler that was there before runs afterwards") {
    const ending e = run([] {
        ::signal(SIGSEGV, [](int) {
            static_cast<void>(!::write(STDERR_FILENO, "before\n", 7));
            ::_exit(7);
        });
        install_crash_naming();
        call(entry_point::connect, [] { *nowhere = 1; });
    });
    CHECK(e.text == "mqbridge: SIGSEGV in plugin kafka.connect (route orders)\nbefore\n");
    CHECK(WIFEXITED(e.how));
    CHECK(WEXITSTATUS(e.how) == 7);
}
