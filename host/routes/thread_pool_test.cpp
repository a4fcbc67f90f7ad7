#include "host/routes/thread_pool.hpp"

#include <boost/asio/post.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <future>

using mqb::host::thread_pool;

TEST_CASE("a pool with one thread that is kept works on with another one") {
    thread_pool pool{1};
    std::promise<void> let_go, kept, done;
    boost::asio::post(pool.executor(), [&] {
        kept.set_value();
        let_go.get_future().wait();
    });
    kept.get_future().wait();
    boost::asio::post(pool.executor(), [&] { done.set_value(); });
    pool.add_thread();
    done.get_future().wait();
    pool.retire_thread();
    let_go.set_value();
}

TEST_CASE("threads come and go") {
    std::atomic<int> ran{0};
    {
        thread_pool pool{2};
        for (int i = 0; i < 50; ++i) {
            pool.add_thread();
            boost::asio::post(pool.executor(), [&] { ++ran; });
            pool.retire_thread();
        }
    }
    CHECK(ran == 50);
}
