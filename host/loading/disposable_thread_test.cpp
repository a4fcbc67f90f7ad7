#include "host/loading/disposable_thread.hpp"

#include "host/loading/thread_entry.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <doctest/doctest.h>

#include <future>

using namespace mqb::loading;
using namespace std::chrono_literals;

namespace {

boost::asio::awaitable<void> run_one(std::function<void()> work, std::chrono::milliseconds limit, int& answer) {
    auto limited = limited_work::make();
    auto wait = limited->async_run(std::move(work), limit, boost::asio::use_awaitable);
    answer = co_await std::move(wait) == work_end::in_time;
}

int run_to_end(std::function<void()> work, std::chrono::milliseconds limit) {
    boost::asio::io_context io;
    int answer = -1;
    boost::asio::co_spawn(io, run_one(std::move(work), limit, answer), boost::asio::detached);
    io.run();
    return answer;
}

}  // namespace

TEST_CASE("work that ends in time is waited for, on a thread that needs no replacement") {
    bool is_disposable = false;
    CHECK((run_with_limit([&] { is_disposable = this_thread_entry().is_disposable.load(); }, 20s) == work_end::in_time));
    CHECK(is_disposable);
    int done = 0;
    CHECK(run_to_end([&] { done = 7; }, 20s) == 1);
    CHECK(done == 7);
}

TEST_CASE("work that does not end is left to itself") {
    auto go = std::make_shared<std::promise<void>>();
    auto ended = std::make_shared<std::promise<void>>();
    const auto work = [go, ended, wait = go->get_future().share()] {
        wait.wait();
        ended->set_value();
    };
    CHECK(run_to_end(work, 30ms) == 0);  // and the executor is gone when it ends
    go->set_value();
    ended->get_future().wait();

    auto again = std::make_shared<std::promise<void>>();
    CHECK((run_with_limit([again, wait = again->get_future().share()] { wait.wait(); }, 30ms) == work_end::late));
    again->set_value();
}
