// Cases of handlers.
#include "../catalog.hpp"

namespace mqb::conformance::cases {
namespace {
std::vector<letter> letters_of(stage& s) {
    std::vector<letter> out;
    for (int i = 0; i < 5; ++i) {
        out.push_back(s.next_letter());
        if (!s.q().reply_to.empty() && i == 0) out.back().payload = s.q().reply_to;
    }
    return out;
}
void ask(stage& s, lending how) {
    publisher& p = s.open_publisher();
    sending x = p.start_send(letters_of(s), how);
    p.finish(x, s.q().patience);
    require(x.op->status() == MQB_OK, rules::send, "the handler answered " + x.op->why());
    if (!s.q().reply_to.empty()) require(!x.op->answers.empty(), rules::answer, "no answer came for the payload of the quirk reply_to");
    p.flush();
    p.close();
}
}  // namespace

void handler(stage& s) {
    ask(s, lending::counted);
    for (int wait = 0; wait < 50 && kit_owner::all_held() > 0; ++wait) std::this_thread::sleep_for(10ms);
    require(kit_owner::all_held() == 0, rules::counted,
            std::to_string(kit_owner::all_held()) + " counts of payload owners were never released");
}
void handler_borrowed(stage& s) { ask(s, lending::borrowed); }

}  // namespace mqb::conformance::cases
