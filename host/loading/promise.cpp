#include "host/loading/promise.hpp"

#include "host/loading/abi_text.hpp"
#include "host/loading/enter.hpp"
#include "host/loading/layout.hpp"

#include <mutex>
#include <string>
#include <utility>

namespace mqb::loading {

namespace {

constexpr std::uint32_t all_dispositions = MQB_BIT(MQB_RELEASED + 1) - 1;

struct asking {
    mqb_promise base{};
    std::mutex mutex;  // explain may come from any thread
    std::string text;
};

void on_explain(mqb_call* call, std::uint32_t, mqb_text text) {
    auto& self = *reinterpret_cast<asking*>(call);
    std::lock_guard lock{self.mutex};
    self.text = cut(view(text));
}
static_assert(offsetof(asking, base) == 0 && offsetof(mqb_promise, call) == 0);

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

core::result<core::promises> ask_promises(const offered& what, std::string_view config, std::uint32_t side, const core::promises& inner) {
    core::promises answer = inner;
    answer.struct_size = sizeof answer;
    if (!what.factory->table.promises) return answer;
    const call_site& site = what.from->place()[entry_point::promises];
    asking a;
    a.base.call = {sizeof a.base, 0, 0, nullptr, &on_explain};
    a.base.config = text_of(config);
    a.base.side = side;
    a.base.promises = reinterpret_cast<mqb_promises*>(&answer);
    std::string thrown;
    const mqb_status s = enter(
        site, MQB_BAD_CONFIG, [&] { return what.factory->table.promises(&a.base); },
        [&](const call_site&, std::string_view text) { thrown = site.text() + " threw: " + std::string{cut(text)}; });
    if (!thrown.empty()) return core::failure{core::status::bad_config, std::move(thrown)};
    if (s != MQB_OK) {
        const bool is_known = s > MQB_PENDING && s <= MQB_UNSUPPORTED;
        std::string text =
            !a.text.empty() ? a.text : site.text() + " answered " + (is_known ? std::string{to_text(to_core(s))} : std::to_string(s));
        return core::failure{is_known ? to_core(s) : core::status::bad_config, std::move(text)};
    }
    answer.flags &= core::promises::all_flags;
    answer.dispositions &= all_dispositions;
    if (const std::string_view wrong = contradiction_in(answer, side); !wrong.empty())
        return core::failure{core::status::bad_config, what.from->name() + " " + std::string{wrong}};
    return answer;
}

}  // namespace mqb::loading
