// mailbox: what other threads have to tell one route, in the order in which it was made.
#pragma once

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <utility>

namespace mqb::core {

// One thing to be done on the route's side. Intrusive: its owner keeps it in place until `deliver` has been called.
struct mail {
    mail* next = nullptr;
    void (*deliver)(mail& self) noexcept = nullptr;
};

// put: any thread. Everything else: only by the route that owns it.
class mailbox {
public:
    // Queues a mail; wakes the owner if it waits. A mail is in at most one mailbox, once.
    void put(mail& m) noexcept;
    // Delivers all that is here; what arrives meanwhile waits for the next call, so that a flood of mail does not hold its route.
    // True if there was any.
    bool deliver_all() noexcept;
    [[nodiscard]] bool has_mail() const noexcept { return has_mail_.load(std::memory_order_acquire); }

    // Completes, through the waiter's executor, as soon as there is mail. One waiter.
    template <class Token>
    auto async_wait(Token&& token) {
        return boost::asio::async_initiate<Token, void()>(
            [this]<class Handler>(Handler handler) { arm(std::make_unique<waiter_of<Handler>>(std::move(handler))); }, token);
    }

private:
    // Who waits, whatever its type. Never runs in `wake`: whoever puts a mail may be inside a plugin's call.
    struct waiter {
        virtual ~waiter() = default;
        virtual void wake() = 0;
    };
    template <class Handler>
    struct waiter_of final : waiter {
        explicit waiter_of(Handler h) : handler(std::move(h)) {}
        void wake() override {
            auto executor = boost::asio::get_associated_executor(handler);
            boost::asio::post(executor, std::move(handler));
        }
        Handler handler;
    };
    void arm(std::unique_ptr<waiter> w);

    std::mutex mutex_;
    mail* first_ = nullptr;
    mail* last_ = nullptr;
    std::atomic<bool> has_mail_{false};
    std::unique_ptr<waiter> waiter_;
};

}  // namespace mqb::core
