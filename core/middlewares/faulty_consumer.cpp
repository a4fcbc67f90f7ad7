#include "core/middlewares/faulty_consumer.hpp"

#include <algorithm>
#include <utility>

namespace mqb::core {

namespace {
constexpr std::string_view broken_json = "{invalid json}";
}

faulty_consumer::faulty_consumer(consumer& inner, std::shared_ptr<fault_plan> plan, mailbox& box, timers& clock, std::string path,
                                 stage_log log)
    : passing_consumer(inner), plan_(std::move(plan)), clock_(clock), path_(std::move(path)), log_(std::move(log)), panic_(box) {}

status faulty_consumer::receive(receive_call& c) {
    const std::uint64_t number = plan_->next();
    if (number == 0) return inner_.receive(c);
    c.messages = {};
    c.batch = nullptr;
    const fault_mode mode = plan_->mode();
    if (mode == fault_mode::json_format_error) return make_up(c);
    const std::string why = "random_panic: " + std::string{to_text(mode)} + " at receive " + std::to_string(number);
    if (mode == fault_mode::panic) return panic_.fail(c, path_ + ": " + why);
    c.texts.set(whole_call, why);
    return status::disconnected;
}

status faulty_consumer::make_up(receive_call& c) {
    message& m = *made_up_.emplace_back(std::make_unique<message>());
    ids_.start(clock_.now_wall());
    ids_.write(m.id);
    m.payload = {reinterpret_cast<const std::uint8_t*>(broken_json.data()), broken_json.size(), nullptr};
    c.messages = message_list{std::span<const message>{&m, 1}};
    c.batch = &m;
    return status::ok;
}

bool faulty_consumer::is_made_up(const void* batch) const noexcept {
    return std::ranges::any_of(made_up_, [batch](const auto& m) { return m.get() == batch; });
}

status faulty_consumer::settle(settle_call& c) {
    if (!is_made_up(c.batch)) return inner_.settle(c);
    for (std::uint32_t k = 0; k < c.entries.count; ++k) {
        const settle_entry e = c.entries.copy(k);
        c.outcomes[k].set(settle_result::ok);
        if (e.what == disposition::ack || e.what == disposition::reply || e.what == disposition::reply_more) continue;
        const std::string_view why = e.reason;
        log_.warn("the made-up message was not delivered" + (why.empty() ? std::string{} : ": " + std::string{why}));
    }
    return status::ok;
}

void faulty_consumer::free_batch(void* batch) {
    if (std::erase_if(made_up_, [batch](const auto& m) { return m.get() == batch; }) == 0) inner_.free_batch(batch);
}

void faulty_consumer::cancel(call& c) {
    if (!panic_.has(c)) inner_.cancel(c);
}

}  // namespace mqb::core
