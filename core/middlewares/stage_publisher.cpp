#include "core/middlewares/stage_publisher.hpp"

#include <utility>

namespace mqb::core {

stage_publisher::stage_publisher(publisher& inner, std::unique_ptr<message_stage> stage, stage_log log)
    : inner_(inner), stage_(std::move(stage)), log_(std::move(log)) {}

status stage_publisher::send(send_call& c) {
    if (c.messages.empty()) return inner_.send(c);  // nothing but a flush
    part_send& s = take();
    s.staged.apply(*stage_, log_.name(), c.messages);
    log_.tell_warning(s.staged);
    if (s.staged.is_untouched()) {
        give_back(s);
        return inner_.send(c);
    }
    log_.tell_of_discarded(s.staged);
    tell_removed(s.staged, c);
    if (s.staged.messages().empty()) {  // to send that would be a flush
        give_back(s);
        return status::ok;
    }
    s.upper = &c;
    s.messages = s.staged.messages();
    s.came.assign(s.messages.count, outcome{});
    s.outcomes = list<outcome>{s.came};
    s.texts.clear();
    s.answer = nullptr;
    if (c.answer)
        s.answer = [](send_call& self, std::uint32_t k, const message& response) {
            auto& part = static_cast<part_send&>(self);
            if (k < part.messages.count) part.upper->answer(*part.upper, part.staged.index_of(k), response);
        };
    const status answer = inner_.send(s);
    if (answer == status::pending) return answer;
    collect(s);
    give_back(s);
    return answer;
}

void stage_publisher::tell_removed(const staged_messages& all, send_call& upper) {
    for (const auto& m : all.removed()) {
        outcome& o = upper.outcomes[m.index];
        o.set(m.what == staged::refused ? send_result::refused : send_result::done);
        if (m.what == staged::refused)
            upper.texts.set(m.index, m.why);
        else
            o.number = static_cast<std::uint64_t>(m.what == staged::filtered ? became::filtered : became::discarded);
    }
}

void stage_publisher::collect(part_send& s) {
    send_call& upper = *s.upper;
    for (std::uint32_t k = 0; k < s.messages.count; ++k) upper.outcomes[s.staged.index_of(k)] = s.came[k];
    s.texts.each([&](std::uint32_t k, std::string_view text) {
        if (k == whole_call || k < s.messages.count) upper.texts.set(k == whole_call ? k : s.staged.index_of(k), text);
    });
}

stage_publisher::part_send& stage_publisher::take() {
    return sends_.take([this](part_send& made) {
        made.self = this;
        made.done = [](call& self, status answer) noexcept {
            auto& s = static_cast<part_send&>(self);
            send_call& upper = *s.upper;
            collect(s);
            s.self->give_back(s);
            upper.done(upper, answer);
        };
    });
}

void stage_publisher::give_back(part_send& s) {
    s.upper = nullptr;
    s.staged.clear();
    sends_.give_back(s);
}

void stage_publisher::cancel(call& c) {
    part_send* found = sends_.find([&](const part_send& s) { return s.upper == &c; });
    inner_.cancel(found ? static_cast<call&>(*found) : c);
}

}  // namespace mqb::core
