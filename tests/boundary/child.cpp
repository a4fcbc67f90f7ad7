// The program that the tests of finding plugins and of crashes start, so that nothing runs in a fork of a process with threads.
//   child FILE         describes the plugin library FILE, as the host's own binary does
//   child CASE [FILE]  ends in the way of that case of crash_test
#include "host/loading/crash_naming.hpp"
#include "host/loading/describe.hpp"
#include "host/loading/enter.hpp"
#include "host/loading/library.hpp"
#include "host/loading/signal_guard.hpp"

#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <thread>

using namespace mqb::loading;

namespace {

int* volatile nowhere = reinterpret_cast<int*>(8);  // a null pointer would be found by a sanitizer first

void call(entry_point which, const std::function<void()>& work) {
    enter(place_of("kafka", "orders", "input")[which], work, [](const call_site&, std::string_view) {});
}

struct deep {
    static int down(volatile char* above, int n) {
        volatile char room[4096];
        room[0] = above ? above[0] : '\0';
        return n < 0 ? room[0] : down(room, n + 1) + room[0];
    }
};

void crash_in_library(const char* file, std::size_t which) {
    install_crash_naming();
    auto lib = library::open(file);
    auto* functions = static_cast<void (*const*)()>((*lib)->table("crash"));
    functions[which]();
}

// As a client library does that looks at a fault first and calls what was there for those that it does not know.
struct sigaction before;
void put_handler_over_ours() {
    struct sigaction theirs {};
    theirs.sa_flags = SA_SIGINFO | SA_NODEFER;
    theirs.sa_sigaction = [](int signal, siginfo_t* info, void* context) {
        static_cast<void>(!::write(STDERR_FILENO, "theirs\n", 7));
        before.sa_sigaction(signal, info, context);
    };
    ::sigaction(SIGSEGV, &theirs, &before);
}

const std::map<std::string, std::function<void(const char*)>> cases{
    {"fault-in-call",
     [](const char*) {
         install_crash_naming();
         call(entry_point::receive, [] { *nowhere = 1; });
     }},
    {"abort-on-thread",
     [](const char*) {
         install_crash_naming();
         std::thread([] { call(entry_point::free, [] { std::abort(); }); }).join();
     }},
    {"overflow-on-thread",
     [](const char*) {
         install_crash_naming();
         std::thread([] { call(entry_point::send, [] { deep::down(nullptr, 1); }); }).join();
     }},
    {"raise-after-call",
     [](const char*) {
         install_crash_naming();
         call(entry_point::send, [] {});
         ::raise(SIGFPE);
     }},
    {"fault-in-library", [](const char* file) { crash_in_library(file, 0); }},
    {"abort-in-library", [](const char* file) { crash_in_library(file, 1); }},
    {"handler-before",
     [](const char*) {
         ::signal(SIGSEGV, [](int) {
             static_cast<void>(!::write(STDERR_FILENO, "before\n", 7));
             ::_exit(7);
         });
         install_crash_naming();
         call(entry_point::connect, [] { *nowhere = 1; });
     }},
    {"handler-after",
     [](const char*) {
         install_crash_naming();
         put_handler_over_ours();
         if (restore_signals() != "SIGSEGV") ::_exit(98);
         call(entry_point::connect, [] { *nowhere = 1; });
     }},
    {"ignored-after",
     [](const char*) {
         install_crash_naming();
         ::signal(SIGABRT, SIG_IGN);
         const std::string changed = restore_signals() + "\n";
         static_cast<void>(!::write(STDERR_FILENO, changed.data(), changed.size()));
         call(entry_point::connect, [] { std::abort(); });
     }},
};

}  // namespace

int main(int count, char** words) {
    if (count < 2) return 2;
    const auto found = cases.find(words[1]);
    if (found == cases.end()) describe_main(words[1]);
    for (const int s : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) ::signal(s, SIG_DFL);  // those of a sanitizer
    ::alarm(30);
    found->second(count > 2 ? words[2] : nullptr);
    return 99;
}
