#include "host/loading/promise.hpp"

#include "host/loading/abi_text.hpp"
#include "host/loading/disposable_thread.hpp"
#include "host/loading/enter.hpp"
#include "host/loading/layout.hpp"

#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace mqb::loading {

namespace {

constexpr std::uint32_t all_dispositions = MQB_BIT(MQB_RELEASED + 1) - 1;

// One question. Shared with the thread that asks it, which may never come back.
struct asking {
    struct promise_face {
        mqb_promise base;
        asking* self;
    };
    promise_face face{};
    std::mutex mutex;  // explain may come from any thread
    std::string text;
    offered what;
    std::string config;
    core::promises answer;
    std::string thrown;
    mqb_status status = MQB_PENDING;
};

void on_explain(mqb_call* call, std::uint32_t, mqb_text text) {
    asking& self = *reinterpret_cast<asking::promise_face*>(call)->self;
    std::lock_guard lock{self.mutex};
    self.text = readable(view(text));
}
static_assert(offsetof(asking::promise_face, base) == 0 && offsetof(mqb_promise, call) == 0);

void call_promises(asking& a, const call_site& site) noexcept {
    a.status = enter(
        site, MQB_REJECTED, [&] { return a.what.factory->table.promises(&a.face.base); },
        [&](const call_site&, std::string_view text) { a.thrown = site.text() + " threw: " + readable(text); });
}

}  // namespace

std::string_view contradiction_in(const core::promises& p, std::uint32_t side) noexcept {
    if (static_cast<std::uint32_t>(p.unit) > MQB_UNIT_BATCH) return "promises a settle unit that does not exist";
    if (side != MQB_SIDE_CONSUMER) return {};
    const auto may = [&](core::disposition d) { return (p.dispositions & core::bit(d)) != 0; };
    if (may(core::disposition::nack) && p.unit != core::settle_unit::message)
        return "promises the disposition NACK, which only the settle unit MESSAGE allows";
    if (may(core::disposition::reply) && p.unit == core::settle_unit::prefix && !may(core::disposition::reply_more))
        return "promises REPLY with the settle unit PREFIX, but not REPLY_MORE";
    if (p.has(core::promises::acknowledges) && !may(core::disposition::ack))
        return "acknowledges, but does not promise the disposition ACK";
    return {};
}

core::result<core::promises> ask_promises(const offered& what, std::string_view config, std::uint32_t side, const core::promises& inner,
                                          std::chrono::milliseconds limit) {
    core::promises answer = inner;
    answer.struct_size = sizeof answer;
    if (!what.factory->table.promises) return answer;
    const call_site& site = what.from->place()[entry_point::promises];
    auto a = std::make_shared<asking>();
    a->what = what;
    a->config = config;
    a->answer = answer;
    a->face.self = a.get();
    mqb_promise& base = a->face.base;
    base.call = {sizeof base, 0, 0, nullptr, &on_explain};
    base.config = text_of(a->config);
    base.side = side;
    base.promises = reinterpret_cast<mqb_promises*>(&a->answer);
    const work_end end = run_with_limit([a, &site] { call_promises(*a, site); }, limit);
    if (end != work_end::in_time)
        return core::failure{end == work_end::late ? core::status::rejected : core::status::retry, site.text() + " " + to_text(end, limit)};
    if (!a->thrown.empty()) return core::failure{core::status::rejected, std::move(a->thrown)};
    if (const mqb_status s = a->status; s != MQB_OK) {
        const bool is_known = s > MQB_PENDING && s <= MQB_UNSUPPORTED;
        std::lock_guard lock{a->mutex};
        std::string text =
            !a->text.empty() ? a->text : site.text() + " answered " + (is_known ? std::string{to_text(to_core(s))} : std::to_string(s));
        return core::failure{is_known ? to_core(s) : core::status::bad_config, std::move(text)};
    }
    answer = a->answer;
    answer.flags &= core::promises::all_flags;
    answer.dispositions &= all_dispositions;
    if (const std::string_view wrong = contradiction_in(answer, side); !wrong.empty())
        return core::failure{core::status::rejected, what.from->name() + " " + std::string{wrong}};
    return answer;
}

}  // namespace mqb::loading
