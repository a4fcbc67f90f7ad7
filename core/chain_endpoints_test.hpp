// chain_endpoints: for tests, endpoints and middlewares that write down what is done with them, by their path.
#pragma once

#include "core/route_chain.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/thread_pool.hpp>

#include <doctest/doctest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mqb::core {

// What the objects of one test have in common.
struct chain_diary {
    std::vector<std::string> log;
    std::map<std::string, instance_context> contexts;  // by path
    std::map<std::string, event_sink*> sinks;
    std::vector<std::pair<call*, status>> pending;  // connects and closes of what is "slow"
    // Lets the oldest pending one come back.
    void come_back() {
        REQUIRE(!pending.empty());
        const auto [c, answer] = pending.front();
        pending.erase(pending.begin());
        c->done(*c, answer);
    }
};

// The configuration is a list of words. "cannot": is not made; "slow": connect and close are pending; "down": connect fails;
// "wrong": connect finds that it can never work; "refuses": sends are refused; "posts": a pending close comes back by mail.
struct diary_stage {
    diary_stage(chain_diary& d, const instance_context& c, std::string w) : diary(d), box(c.box), path(c.path), words(std::move(w)) {
        diary.log.push_back(path + " made");
        mail_.of = this;
        mail_.deliver = [](mail& m) noexcept {
            auto& mine = static_cast<close_mail&>(m);
            mine.what->done(*mine.what, status::ok);
        };
    }
    ~diary_stage() { diary.log.push_back(path + " gone"); }
    [[nodiscard]] bool has(std::string_view word) const { return words.find(word) != std::string::npos; }
    status connecting(call& c) {
        diary.log.push_back(path + " connect");
        if (has("wrong")) c.texts.set(whole_call, "makes no sense");
        const status answer = has("wrong") ? status::bad_config : has("down") ? status::retry : status::ok;
        return later(c, answer);
    }
    status closing(call& c) {
        diary.log.push_back(path + " close");
        if (!has("posts")) return later(c, status::ok);
        mail_.what = &c;
        box.put(mail_);
        return status::pending;
    }
    status later(call& c, status answer) {
        if (!has("slow")) return answer;
        diary.pending.emplace_back(&c, answer);
        return status::pending;
    }
    struct close_mail : mail {
        diary_stage* of = nullptr;
        call* what = nullptr;
    };
    chain_diary& diary;
    mailbox& box;
    std::string path, words;
    close_mail mail_;
};

struct diary_publisher final : publisher, diary_stage {
    diary_publisher(chain_diary& d, const instance_context& c, std::string w, publisher* below = nullptr)
        : diary_stage(d, c, std::move(w)), inner(below) {}
    status connect(call& c) override { return connecting(c); }
    status send(send_call& c) override {
        diary.log.push_back(path + " send");
        if (inner) return inner->send(c);
        for (std::uint32_t i = 0; i < c.outcomes.count; ++i) c.outcomes[i].set(has("refuses") ? send_result::refused : send_result::done);
        return status::ok;
    }
    void cancel(call&) override { diary.log.push_back(path + " cancel"); }
    status close(call& c) override { return closing(c); }
    void listen(event_sink* sink) override { diary.sinks[path] = sink; }
    publisher* inner;
};

struct diary_consumer final : consumer, diary_stage {
    diary_consumer(chain_diary& d, const instance_context& c, std::string w, consumer* below = nullptr)
        : diary_stage(d, c, std::move(w)), inner(below) {}
    status connect(call& c) override { return connecting(c); }
    status receive(receive_call& c) override {
        diary.log.push_back(path + " receive");
        return inner ? inner->receive(c) : status::end;
    }
    status settle(settle_call& c) override {
        diary.log.push_back(path + " settle");
        if (inner) return inner->settle(c);
        for (std::uint32_t i = 0; i < c.outcomes.count; ++i) c.outcomes[i].set(settle_result::ok);
        return status::ok;
    }
    void free_batch(void* batch) override {
        diary.log.push_back(path + " free");
        if (inner) inner->free_batch(batch);
    }
    void lanes_done(std::uint64_t token) override { diary.log.push_back(path + " lanes_done " + std::to_string(token)); }
    void lanes_ending(std::span<const std::uint64_t> lanes, std::uint64_t) override {
        diary.log.push_back(path + " lanes_ending " + std::to_string(lanes[0]));
    }
    void cancel(call&) override { diary.log.push_back(path + " cancel"); }
    status close(call& c) override { return closing(c); }
    void listen(event_sink* sink) override { diary.sinks[path] = sink; }
    consumer* inner;
};

struct diary_endpoint final : endpoint_factory {
    explicit diary_endpoint(chain_diary& d) : diary(d) {}
    std::uint32_t sides() const noexcept override { return consumer_side | publisher_side; }
    std::string_view schema() const noexcept override { return "{}"; }
    result<promises> promise(std::string_view, side) const override {
        promises out;
        out.flags = promises::ordered | promises::concurrent;
        return out;
    }
    boost::asio::awaitable<result<std::unique_ptr<consumer>>> make_consumer(instance_context c, std::string words) override {
        diary.contexts.emplace(c.path, c);
        if (words.find("cannot") != std::string::npos) co_return failure{status::retry, "not today"};
        co_return std::make_unique<diary_consumer>(diary, c, words);
    }
    boost::asio::awaitable<result<std::unique_ptr<publisher>>> make_publisher(instance_context c, std::string words) override {
        diary.contexts.emplace(c.path, c);
        if (words.find("cannot") != std::string::npos) co_return failure{status::retry, "not today"};
        co_return std::make_unique<diary_publisher>(diary, c, words);
    }
    chain_diary& diary;
};

// Takes concurrency away.
struct diary_middleware final : middleware_factory {
    explicit diary_middleware(chain_diary& d) : diary(d) {}
    std::uint32_t sides() const noexcept override { return consumer_side | publisher_side; }
    std::string_view schema() const noexcept override { return "{}"; }
    result<promises> promise(std::string_view, side, promises inner) const override {
        inner.flags &= ~std::uint32_t{promises::concurrent};
        return inner;
    }
    boost::asio::awaitable<result<std::unique_ptr<consumer>>> wrap(instance_context c, std::string words, consumer& inner) override {
        diary.contexts.emplace(c.path, c);
        if (words.find("cannot") != std::string::npos) co_return failure{status::retry, "not today"};
        co_return std::make_unique<diary_consumer>(diary, c, words, &inner);
    }
    boost::asio::awaitable<result<std::unique_ptr<publisher>>> wrap(instance_context c, std::string words, publisher& inner) override {
        diary.contexts.emplace(c.path, c);
        if (words.find("cannot") != std::string::npos) co_return failure{status::retry, "not today"};
        co_return std::make_unique<diary_publisher>(diary, c, words, &inner);
    }
    chain_diary& diary;
};

struct silent_logger final : logger {
    log_level lowest() const noexcept override { return log_level::error; }
    void write(log_level, std::string_view, std::string_view, std::string_view) noexcept override {}
};

// What chains are made in: endpoints "end", middlewares "layer".
struct chain_setting {
    chain_setting() {
        endpoints.add("end", std::make_shared<diary_endpoint>(diary));
        middlewares.add("layer", std::make_shared<diary_middleware>(diary));
        definition.name = "orders";
        definition.input = {"end", "", "input", {}, {}};
        definition.output = {"end", "", "output", {}, {}};
    }
    chain_parts parts() { return {definition, endpoints, middlewares, log, box, clock, counters, &links}; }
    // Runs a coroutine to its end.
    template <class T>
    T run(boost::asio::awaitable<T> what) {
        std::optional<T> out;
        boost::asio::thread_pool pool{1};
        boost::asio::co_spawn(pool, store(std::move(what), out), boost::asio::detached);
        pool.join();
        REQUIRE(out.has_value());
        return std::move(*out);
    }
    template <class T>
    static boost::asio::awaitable<void> store(boost::asio::awaitable<T> what, std::optional<T>& into) {
        T got = co_await std::move(what);
        into.emplace(std::move(got));
    }
    chain_diary diary;
    CustomEndpointFactory endpoints;
    CustomMiddlewareFactory middlewares;
    route_definition definition;
    silent_logger log;
    mailbox box;
    manual_timers clock{box};
    ledger_counters counters;
    chain_links links;
};

}  // namespace mqb::core
