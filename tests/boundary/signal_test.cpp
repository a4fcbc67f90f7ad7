// A plugin that changes what the process does on signals: the host puts it back, and says whose doing it was.
#include "factory_fixture.hpp"
#include "host/loading/signal_guard.hpp"

#include <signal.h>

#include <thread>

using namespace mqb;
using namespace mqb::boundary;
using core::status;

namespace {

void ours(int) {}

// What the process does on a signal, put back at the end.
class disposition {
public:
    disposition(int signal, void (*handler)(int)) : signal_(signal) {
        struct sigaction set {};
        set.sa_handler = handler;
        ::sigaction(signal, &set, &before_);
    }
    ~disposition() { ::sigaction(signal_, &before_, nullptr); }
    disposition(const disposition&) = delete;
    disposition& operator=(const disposition&) = delete;
    bool is_ours() const {
        struct sigaction now {};
        ::sigaction(signal_, nullptr, &now);
        return now.sa_handler == &ours;
    }

private:
    int signal_;
    struct sigaction before_ {};
};

bool is_blocked(int signal) {
    sigset_t now;
    ::pthread_sigmask(SIG_SETMASK, nullptr, &now);
    return sigismember(&now, signal) == 1;
}

struct signal_fixture : factory_fixture {
    signal_fixture() {
        test_factory::create = [this](mqb_create* c) {
            c->made = &consumer;
            return MQB_OK;
        };
    }
    disposition term{SIGTERM, &ours};
    disposition interrupt{SIGINT, &ours};
    std::optional<loading::signal_guard> guards[2]{};
    void guard_both() {
        guards[0].emplace(SIGTERM);
        guards[1].emplace(SIGINT);
    }
};

}  // namespace

TEST_CASE_FIXTURE(signal_fixture, "what a create changes is put back before the instance is used") {
    guard_both();
    test_factory::create = [this](mqb_create* c) {
        ::signal(SIGTERM, SIG_IGN);
        ::signal(SIGINT, SIG_DFL);
        c->made = &consumer;
        return MQB_OK;
    };
    auto made = make_consumer();
    REQUIRE(made.has_value());
    CHECK(term.is_ours());
    CHECK(interrupt.is_ours());
    CHECK(side.log.lines() ==
          std::vector<std::string>{"3 orders input: test.create changed what the host does on SIGINT, SIGTERM: put back"});
    CHECK(close(side, **made) == status::ok);
}

TEST_CASE_FIXTURE(signal_fixture, "what a connect changes is put back, whether it answers at once or later from a thread of its own") {
    guard_both();
    auto made = make_consumer();
    REQUIRE(made.has_value());
    consumer.connect = [](mqb_call*) {
        ::signal(SIGTERM, SIG_IGN);
        return MQB_OK;
    };
    recorded<core::call> c;
    CHECK((*made)->connect(c) == status::ok);
    CHECK(term.is_ours());
    std::thread own;
    consumer.connect = [&own](mqb_call* call) {
        own = std::thread{[call] {
            ::signal(SIGINT, SIG_IGN);
            call->done(call, MQB_OK);
        }};
        return MQB_PENDING;
    };
    CHECK((*made)->connect(c) == status::pending);
    CHECK(side.deliver_until([&] { return c.completions == 1; }));
    own.join();
    CHECK(interrupt.is_ours());
    CHECK(side.log.lines() == std::vector<std::string>{"3 orders input: test.connect changed what the host does on SIGTERM: put back",
                                                       "3 orders input: test.connect changed what the host does on SIGINT: put back"});
    CHECK(close(side, **made) == status::ok);
}

TEST_CASE_FIXTURE(signal_fixture, "a signal mask that a connect leaves on the host's thread is put back") {
    auto made = make_consumer();
    REQUIRE(made.has_value());
    consumer.connect = [](mqb_call*) {
        sigset_t all;
        sigfillset(&all);
        ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
        return MQB_OK;
    };
    recorded<core::call> c;
    CHECK((*made)->connect(c) == status::ok);
    CHECK_FALSE(is_blocked(SIGTERM));
    CHECK(side.log.lines() ==
          std::vector<std::string>{"3 orders input: test.connect changed the signal mask of a thread of the host: put back"});
    CHECK(close(side, **made) == status::ok);
}

TEST_CASE_FIXTURE(signal_fixture, "a signal that the host does not guard, or no longer, is nobody's business") {
    guard_both();
    guards[0].reset();
    test_factory::create = [this](mqb_create* c) {
        ::signal(SIGTERM, SIG_IGN);
        c->made = &consumer;
        return MQB_OK;
    };
    auto made = make_consumer();
    REQUIRE(made.has_value());
    CHECK_FALSE(term.is_ours());
    CHECK(side.log.lines().empty());
    CHECK(close(side, **made) == status::ok);
}
