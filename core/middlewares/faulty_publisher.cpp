#include "core/middlewares/faulty_publisher.hpp"

#include <utility>

namespace mqb::core {

faulty_publisher::faulty_publisher(publisher& inner, std::shared_ptr<fault_plan> plan, mailbox& box, std::string path)
    : passing_publisher(inner), plan_(std::move(plan)), path_(std::move(path)), panic_(box) {}

status faulty_publisher::send(send_call& c) {
    const std::uint64_t number = c.messages.empty() ? 0 : plan_->next();
    if (number == 0) return inner_.send(c);
    const fault_mode mode = plan_->mode();
    const std::string why = "random_panic: " + std::string{to_text(mode)} + " at send " + std::to_string(number);
    if (mode == fault_mode::panic) return panic_.fail(c, path_ + ": " + why);
    c.texts.set(whole_call, why);
    if (mode == fault_mode::disconnect) return status::disconnected;
    const send_result came = mode == fault_mode::json_format_error ? send_result::refused : send_result::again;
    for (std::uint32_t i = 0; i < c.outcomes.count; ++i) c.outcomes[i].set(came);
    return status::ok;
}

void faulty_publisher::cancel(call& c) {
    if (!panic_.has(c)) inner_.cancel(c);
}

}  // namespace mqb::core
