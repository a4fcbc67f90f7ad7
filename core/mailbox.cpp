#include "core/mailbox.hpp"

#include <utility>

namespace mqb::core {

void mailbox::put(mail& m) noexcept {
    std::unique_ptr<waiter> woken;
    {
        std::lock_guard lock{mutex_};
        m.next = nullptr;
        (last_ ? last_->next : first_) = &m;
        last_ = &m;
        has_mail_.store(true, std::memory_order_release);
        woken = std::move(waiter_);
    }
    if (woken) woken->wake();
}

bool mailbox::deliver_all() noexcept {
    if (!has_mail()) return false;
    mail* all;
    {
        std::lock_guard lock{mutex_};
        all = std::exchange(first_, nullptr);
        last_ = nullptr;
        has_mail_.store(false, std::memory_order_release);
    }
    while (all) {
        mail* m = all;
        all = m->next;  // before deliver: the owner may reuse or free the mail in there
        m->deliver(*m);
    }
    return true;
}

void mailbox::arm(std::unique_ptr<waiter> w) {
    {
        std::lock_guard lock{mutex_};
        if (!first_) {
            waiter_ = std::move(w);
            return;
        }
    }
    w->wake();
}

}  // namespace mqb::core
