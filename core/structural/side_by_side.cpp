#include "core/structural/side_by_side.hpp"

#include <utility>

namespace mqb::core {

namespace {

// What counts most of several answers.
int weight(status answer) noexcept {
    switch (answer) {
        case status::unsupported: return 0;
        case status::ok: return 1;
        case status::bad_config: return 3;
        default: return 2;
    }
}

}  // namespace

status side_by_side::connect(call& c) { return start(take(c, kind::connect)); }

status side_by_side::close(call& c) { return start(take(c, kind::close)); }

status side_by_side::control(control_call& c) {
    joint& j = take(c, kind::control);
    for (one& o : j.all) {
        o.id = c.id;
        o.request = c.request;
        o.answer.clear();
    }
    return start(j);
}

side_by_side::joint& side_by_side::take(call& c, kind what) {
    joint& j = joints_.take([this](joint& made) {
        made.self = this;
        made.all = std::vector<one>(branches_.size());
        for (std::uint32_t i = 0; i < made.all.size(); ++i) {
            made.all[i].of = &made;
            made.all[i].number = i;
            made.all[i].done = [](call& self, status answer) noexcept {
                auto& back = static_cast<one&>(self);
                joint& all = *back.of;
                back.of->self->answered(back, answer);
                if (all.open != 0) {
                    if (all.gives_up) all.self->cancel_open(all);
                    return;
                }
                call& upper = *all.upper;
                const status now = all.self->end(all);
                upper.done(upper, now);
            };
        }
    });
    j.upper = &c;
    j.what = what;
    j.gives_up = false;
    for (one& o : j.all) {
        o.came = status::unsupported;
        o.texts.clear();
    }
    return j;
}

status side_by_side::start(joint& j) {
    j.open = 1;  // until all are started
    for (one& o : j.all) {
        if (j.gives_up) break;
        if (j.what == kind::connect && connected_[o.number]) {
            o.came = status::ok;
            continue;
        }
        ++j.open;
        o.in_flight = true;
        const status answer = start_one(o);
        if (answer != status::pending) answered(o, answer);
    }
    if (--j.open == 0) return end(j);
    if (j.gives_up) cancel_open(j);
    return status::pending;
}

status side_by_side::start_one(one& o) {
    publisher& to = *branches_[o.number].to;
    switch (o.of->what) {
        case kind::connect: return to.connect(o);
        case kind::close: return to.close(o);
        case kind::control: return to.control(o);
    }
    return status::unsupported;
}

// A branch keeps itself connected: that it was not just now is no loss of the connection of the whole.
void side_by_side::answered(one& o, status answer) {
    joint& j = *o.of;
    o.in_flight = false;
    o.came = answer == status::disconnected ? status::retry : answer;
    --j.open;
    if (j.what != kind::connect) return;
    if (answer == status::ok || answer == status::unsupported) connected_[o.number] = true;
    if (answer == status::bad_config) j.gives_up = true;
}

void side_by_side::cancel_open(joint& j) {
    for (one& o : j.all)
        if (o.in_flight) branches_[o.number].to->cancel(o);
}

status side_by_side::end(joint& j) {
    call& upper = *std::exchange(j.upper, nullptr);
    const one* counts = nullptr;
    for (const one& o : j.all)
        if (!counts || weight(o.came) > weight(counts->came)) counts = &o;
    joints_.give_back(j);
    if (!counts) return status::ok;
    const auto text = counts->texts.best(whole_call);
    if (weight(counts->came) > 1 && !text.empty()) upper.texts.set(whole_call, branches_[counts->number].placed(text));
    return counts->came;
}

bool side_by_side::cancel(call& c) {
    joint* found = joints_.find([&](const joint& j) { return j.upper == &c; });
    if (found) cancel_open(*found);
    return found != nullptr;
}

}  // namespace mqb::core
