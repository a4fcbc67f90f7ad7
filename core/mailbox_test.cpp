#include "core/mailbox.hpp"

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/io_context.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

using namespace mqb::core;

namespace {
struct note : mail {
    explicit note(std::function<void()> does) : what(std::move(does)) {
        deliver = [](mail& m) noexcept { static_cast<note&>(m).what(); };
    }
    std::function<void()> what;
};
}  // namespace

TEST_CASE("mails are delivered in the order in which they were put") {
    mailbox box;
    std::vector<int> got;
    std::vector<std::unique_ptr<note>> all;
    for (int i = 0; i < 5; ++i) all.push_back(std::make_unique<note>([&, i] { got.push_back(i); }));
    CHECK_FALSE(box.has_mail());
    CHECK_FALSE(box.deliver_all());
    for (auto& n : all) box.put(*n);
    CHECK(box.has_mail());
    CHECK(box.deliver_all());
    CHECK(got == std::vector{0, 1, 2, 3, 4});
    CHECK_FALSE(box.has_mail());
}

TEST_CASE("a mail may be put again, and others may be put, while it is delivered") {
    mailbox box;
    std::vector<int> got;
    note other{[&] { got.push_back(9); }};
    int left = 3;
    note self{[&] {
        got.push_back(left);
        if (left == 3) box.put(other);
        if (--left > 0) box.put(self);
    }};
    box.put(self);
    while (box.deliver_all()) {}
    CHECK(got == std::vector{3, 9, 2, 1});
    CHECK(left == 0);
}

TEST_CASE("a mail may be destroyed in its delivery") {
    mailbox box;
    int delivered = 0;
    struct short_lived : mail {
        int* count;
    };
    for (int i = 0; i < 3; ++i) {
        auto* m = new short_lived;
        m->count = &delivered;
        m->deliver = [](mail& self) noexcept {
            auto* mine = static_cast<short_lived*>(&self);
            ++*mine->count;
            delete mine;
        };
        box.put(*m);
    }
    box.deliver_all();
    CHECK(delivered == 3);
}

TEST_CASE("the waiter is woken through its executor and never inside put") {
    mailbox box;
    boost::asio::io_context context;
    int woken = 0;
    note n{[] {}};
    box.async_wait(boost::asio::bind_executor(context.get_executor(), [&] { ++woken; }));
    CHECK(context.poll() == 0);
    box.put(n);
    CHECK(woken == 0);
    context.restart();
    context.run();
    CHECK(woken == 1);
    // It finds the mail that was there before it waited.
    box.async_wait(boost::asio::bind_executor(context.get_executor(), [&] { ++woken; }));
    CHECK(woken == 1);
    context.restart();
    context.run();
    CHECK(woken == 2);
    box.deliver_all();
}

TEST_CASE("mails of several threads all arrive, those of each thread in order, and wake the waiter") {
    constexpr int threads = 4, each = 500;
    mailbox box;
    boost::asio::io_context context;
    auto work = boost::asio::make_work_guard(context);
    std::vector<std::vector<int>> got(threads);
    std::vector<std::unique_ptr<note>> all;
    int total = 0;
    for (int t = 0; t < threads; ++t)
        for (int i = 0; i < each; ++i)
            all.push_back(std::make_unique<note>([&, t, i] {
                got[static_cast<std::size_t>(t)].push_back(i);
                ++total;
            }));
    std::function<void()> wait = [&] {
        box.deliver_all();
        if (total == threads * each) return work.reset();
        box.async_wait(boost::asio::bind_executor(context.get_executor(), wait));
    };
    wait();
    std::vector<std::thread> makers;
    for (int t = 0; t < threads; ++t)
        makers.emplace_back([&, t] {
            for (int i = 0; i < each; ++i) box.put(*all[static_cast<std::size_t>(t * each + i)]);
        });
    context.run();
    for (auto& m : makers) m.join();
    CHECK(total == threads * each);
    for (const auto& g : got) CHECK(std::ranges::is_sorted(g));
}
