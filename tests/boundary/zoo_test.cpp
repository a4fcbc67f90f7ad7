// The zoo: each bad plugin is found, opened and driven through every call in a child process, and the host says what zoo.tsv wants.
#include "core/call.hpp"
#include "fakes.hpp"
#include "host/loading/catalogue.hpp"
#include "host/loading/crash_naming.hpp"
#include "host/loading/exit_guard.hpp"
#include "host/loading/layout.hpp"
#include "host/loading/lent_consumer.hpp"
#include "host/loading/watchdog.hpp"
#include "route_side.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>

using namespace mqb;
using namespace mqb::boundary;
using namespace mqb::loading;
using namespace std::chrono_literals;
using core::status;

namespace fs = std::filesystem;

namespace {

struct animal {
    std::string fault, stage;
    std::vector<std::string> said;  // one of them
    fs::path file() const { return fs::path{MQB_ZOO} / ("libmqb_bad_" + fault + ".so"); }
};

std::vector<std::string> split(const std::string& line, char at) {
    std::vector<std::string> out;
    std::istringstream in{line};
    for (std::string part; std::getline(in, part, at);) out.push_back(part);
    return out;
}

std::vector<animal> animals(const std::string& stage) {
    std::vector<animal> out;
    std::ifstream in{MQB_ZOO_LIST};
    for (std::string line; std::getline(in, line);) {
        const std::vector<std::string> columns = split(line, '\t');
        if (line.starts_with("#") || columns.size() < 6 || columns[4] != stage) continue;
        out.push_back({columns[0], columns[4], split(columns[5], '|')});
    }
    REQUIRE_FALSE(out.empty());
    return out;
}

// A crash or an exit is the end of the process, said or not.
bool ends_the_process(const animal& a) { return a.fault.starts_with("aborts") || a.fault.starts_with("exits"); }
// These write or read where they may not, or leave a thread that does: what comes of it is chance, and a sanitizer stops there.
bool is_wild(const animal& a) {
    static const std::vector<std::string> wild{"keeps_borrowed",     "frees_early", "releases_twice", "writes_behind_element",
                                               "writes_behind_call", "keeps_reply", "leaves_thread"};
    return std::ranges::find(wild, a.fault) != wild.end();
}

bool says_it(const animal& a, const std::string& text) {
    return std::ranges::any_of(a.said, [&](const std::string& word) { return text.find(word) != std::string::npos; });
}

// Both sides of the endpoint `zoo`, driven as a route would. Everything that the host would say goes to standard error.
class visit {
public:
    // Before there is another thread: the file is described in a plain fork.
    explicit visit(const fs::path& file) {
        search_options search;
        search.plugin_files = {file};
        plugin_catalogue catalogue{search, services_};
        if (auto found = catalogue.find_endpoint("zoo"))
            factory_ = *found;
        else
            say(found.error().text);
    }
    void go() {
        services_->checking = true;  // metadata is walked, and arrays have gaps
        services_->create_limit = 5s;
        if (!factory_) return;
        for (const core::side s : {core::consumer_side, core::publisher_side})
            if (auto promised = factory_->promise(config, s); !promised) return say(promised.error().text);
        publisher_ = run(factory_->make_publisher(side_.context(), config));
        if (publisher_) consumer_ = run(factory_->make_consumer(side_.context(), config));
        if (publisher_ && consumer_) drive();
    }

private:
    static constexpr const char* config = R"({"topic":"visit"})";
    static void say(std::string_view text) {
        const std::string line = std::string{text} + "\n";
        static_cast<void>(!::write(STDERR_FILENO, line.data(), line.size()));
    }
    template <class T>
    std::unique_ptr<T> run(boost::asio::awaitable<core::result<std::unique_ptr<T>>> work) {
        std::unique_ptr<T> out;
        boost::asio::co_spawn(io_, std::move(work), [&](std::exception_ptr, core::result<std::unique_ptr<T>> r) {
            if (r)
                out = std::move(*r);
            else
                say(r.error().text);
        });
        io_.restart();
        io_.run();
        return out;
    }
    // Waits a little for the completion of a call that is pending.
    template <class Call>
    status wait(status started, Call& c, std::chrono::milliseconds limit = 10s) {
        const auto until = std::chrono::steady_clock::now() + limit;
        while (started == status::pending && c.completions == 0 && std::chrono::steady_clock::now() < until) {
            side_.box.deliver_all();
            std::this_thread::sleep_for(1ms);
        }
        if (const auto text = c.texts.best(core::whole_call); !text.empty()) say(text);
        return started == status::pending ? c.ended : started;
    }
    void settle_all(core::receive_call& r) {
        std::vector<core::settle_entry> entries(r.messages.count);
        for (std::uint32_t i = 0; i < r.messages.count; ++i) entries[i].index = i;
        std::vector<core::outcome> outcomes(entries.size());
        recorded<core::settle_call> s;
        s.batch = r.batch;
        s.entries = std::span<const core::settle_entry>{entries};
        s.outcomes = std::span<core::outcome>{outcomes};
        wait(consumer_->settle(s), s);
        consumer_->free_batch(r.batch);
    }
    void drive() {
        consumer_->listen(&side_.events);
        publisher_->listen(&side_.events);
        recorded<core::call> connect;
        wait(publisher_->connect(connect), connect);
        recorded<core::call> again;
        wait(consumer_->connect(again), again);

        some_messages given{{"a", "b", "c"}};
        std::uint8_t metadata[32];
        const std::size_t size = mqb_meta_put_int(metadata, sizeof metadata, 0, MQB_META_INT, text("key"), 7);
        for (mqb_message& m : given.messages) m.metadata = {metadata, size, nullptr};
        std::vector<core::outcome> outcomes(3);
        recorded<core::send_call> send;
        send.messages = to_core<const core::message>(given.list());
        send.outcomes = std::span<core::outcome>{outcomes};
        wait(publisher_->send(send), send);

        recorded<core::receive_call> receive;
        receive.max_messages = 10;
        receive.drain = true;
        if (wait(consumer_->receive(receive), receive) == status::ok && receive.batch) settle_all(receive);
        recorded<core::receive_call> waiting;
        waiting.max_messages = 10;
        const status started = consumer_->receive(waiting);
        if (started == status::pending) consumer_->cancel(waiting);
        wait(started, waiting, 3s);  // one that throws in cancel never answers

        recorded<core::control_call> control;
        control.id = "zoo.unknown";
        control.request = "{}";
        wait(consumer_->control(control), control);
        recorded<core::call> close_consumer, close_publisher;
        wait(consumer_->close(close_consumer), close_consumer);
        wait(publisher_->close(close_publisher), close_publisher);
        for (int i = 0; i < 20; ++i) {  // what comes late
            side_.box.deliver_all();
            std::this_thread::sleep_for(10ms);
        }
        for (const std::string& text : side_.events.all) say(text);
        for (const std::string& text : side_.log.lines()) say(text);
    }

    route_side side_;
    std::shared_ptr<plugin_services> services_ = std::make_shared<plugin_services>();
    boost::asio::io_context io_;
    std::shared_ptr<core::endpoint_factory> factory_;
    std::unique_ptr<core::publisher> publisher_;
    std::unique_ptr<core::consumer> consumer_;
};

// What a host that meets this animal says. A call that hangs is left as soon as the watchdog has named it.
std::string heard_from(const animal& a, bool& survived) {
    int pipe[2];
    REQUIRE(::pipe(pipe) == 0);
    const pid_t child = ::fork();
    if (child == 0) {
        ::dup2(pipe[1], STDERR_FILENO);
        ::dup2(pipe[1], STDOUT_FILENO);
        for (const int s : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) ::signal(s, SIG_DFL);
        install_crash_naming();
        install_exit_guard();
        auto v = std::make_unique<visit>(a.file());
        const bool hangs = a.fault.starts_with("hangs");
        const watchdog dog{{{},
                            {},
                            [hangs](std::string_view, std::string_view cause) {
                                const std::string line = std::string{cause} + "\n";
                                static_cast<void>(!::write(STDERR_FILENO, line.data(), line.size()));
                                if (hangs && !cause.empty()) ::_exit(0);
                            }},
                           10ms,
                           100ms};
        ::alarm(60);
        v->go();
        v.reset();
        ::_exit(0);
    }
    ::close(pipe[1]);
    std::string text;
    char part[4096];
    for (ssize_t n; (n = ::read(pipe[0], part, sizeof part)) > 0;) text.append(part, static_cast<std::size_t>(n));
    ::close(pipe[0]);
    int how = 0;
    ::waitpid(child, &how, 0);
    survived = WIFEXITED(how) && WEXITSTATUS(how) == 0;
    return text;
}

}  // namespace

TEST_CASE("C110, C111: what cannot be loaded is unusable, and the reason is in its line") {
    search_options search;
    search.plugin_dirs = {MQB_ZOO};
    plugin_catalogue catalogue{search, std::make_shared<plugin_services>(), describer{{}, 10s}};
    const std::vector<catalogue_entry> all = catalogue.list(true);
    for (const animal& a : animals("load")) {
        CAPTURE(a.fault);
        auto at = std::ranges::find(all, a.file(), &catalogue_entry::file);
        REQUIRE((at != all.end()));
        const std::string line = at->file.string() + ": " + at->why;
        if (a.fault == "unreadable" && ::geteuid() == 0) continue;  // root reads everything
        if (a.said[0] == "-") {
            CHECK(at->state == file_state::ok);
            continue;
        }
        CAPTURE(line);
        CHECK(at->state == file_state::unusable);
        CHECK(says_it(a, line));
        CHECK_FALSE(at->why.empty());
    }
}

TEST_CASE("what cannot start says why") {
    for (const animal& a : animals("start")) {
        CAPTURE(a.fault);
        bool survived = false;
        const std::string text = heard_from(a, survived);
        CAPTURE(text);
        CHECK(says_it(a, text));
        CHECK(survived == !ends_the_process(a));
    }
}

TEST_CASE("C113: what misbehaves while it runs is named, and the host lives") {
    for (const animal& a : animals("run")) {
        if (a.said[0] == "-" || a.fault.starts_with("middleware")) continue;
        CAPTURE(a.fault);
        bool survived = false;
        const std::string text = heard_from(a, survived);
        CAPTURE(text);
        CHECK(says_it(a, text));
        CHECK(survived == !ends_the_process(a));
    }
}

TEST_CASE("what misbehaves where a host cannot see it is survived") {
    for (const animal& a : animals("run")) {
        if (a.said[0] != "-" || a.fault.starts_with("middleware") || is_wild(a)) continue;
        CAPTURE(a.fault);
        bool survived = false;
        const std::string text = heard_from(a, survived);
        CAPTURE(text);
        CHECK(survived);
    }
}
