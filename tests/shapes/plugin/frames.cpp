#include "frames.hpp"

namespace mqb::shapes {

namespace {

// A member of the request, or what it is when it is not given.
std::string text_in(const sdk::json_value& request, std::string_view key, std::string otherwise) {
    const sdk::json_value* found = request.find(key);
    return found && !found->text.empty() ? found->text : otherwise;
}

}  // namespace

std::string receive_frame(const sdk::receive_call& call, std::uint64_t tag, bool waits) {
    wire::writer out(wire::verb::receive, tag);
    return out.u32(call.max_messages()).u64(call.max_bytes()).u8(call.drains()).u8(waits).frame();
}

sdk::status read_receive(wire::reader& in, const sdk::receive_call& call, note_pool& batches) {
    const auto answer = in.word<wire::answer>();
    const std::uint32_t n = in.u32();
    if (answer != wire::answer::ok || n == 0) return static_cast<sdk::status>(answer);
    auto batch = batches.open();
    for (std::uint32_t i = 0; i < n; ++i) {
        batch->extra.deliveries.push_back(in.u64());
        const std::uint64_t lane = in.u64();
        const std::uint32_t count = in.u32();
        const std::string_view id = in.raw(16);
        const auto payload = in.blob();
        const std::string_view metadata = in.text();
        sdk::added_message one = payload ? batch->add(*payload) : batch->add_null();
        one.id(reinterpret_cast<const std::uint8_t*>(id.data())).lane(lane).delivery_count(count);
        one.metadata(sdk::metadata_view(sdk::borrowed(metadata)));
    }
    batch->extra.is_final.assign(n, false);
    return batch.give(call);
}

std::string settle_frame(const sdk::settle_call& call, std::uint64_t tag) {
    const note& of = note_pool::of(call)->extra;
    wire::writer out(wire::verb::settle, tag);
    out.u32(call.size());
    for (const sdk::settle_entry entry : call) {
        out.u64(of.deliveries[entry.index()]).u8(static_cast<std::uint8_t>(entry.disposition())).u64(entry.delay_ns());
        out.blob(entry.reply() ? std::optional(sdk::view(entry.reply()->payload)) : std::nullopt);
    }
    return out.frame();
}

sdk::status read_settle(wire::reader& in, const sdk::settle_call& call) {
    note& of = note_pool::of(call)->extra;
    const auto answer = in.word<wire::answer>();
    for (const sdk::settle_entry entry : call) {
        const auto outcome = in.word<wire::settled>();
        if (outcome == wire::settled::retry) continue;
        if (outcome == wire::settled::ok)
            entry.ok();
        else
            entry.gone();
        if (entry.is_final()) of.is_final[entry.index()] = true;
    }
    return static_cast<sdk::status>(answer);
}

std::string give_back_frame(const note& of) {
    wire::writer out(wire::verb::give_back, 0);
    const std::size_t at = out.later32();
    std::uint32_t left = 0;
    for (std::size_t i = 0; i < of.deliveries.size(); ++i)
        if (!of.is_final[i]) out.u64(of.deliveries[i]), ++left;
    out.set32(at, left);
    return left ? out.frame() : std::string();
}

std::string send_frame(const sdk::send_call& call, std::uint64_t tag, std::uint32_t first, std::uint32_t count) {
    wire::writer out(wire::verb::send, tag);
    out.u32(count);
    for (std::uint32_t i = first; i < first + count; ++i) {
        const sdk::message_view message = call[i];
        std::uint8_t made[16];
        if (!message.has_id()) sdk::make_uuid(made);
        out.raw(message.has_id() ? message.id().data() : made, 16).u64(message.lane());
        out.blob(message.is_null() ? std::nullopt : std::optional(message.text())).text(sdk::view(message.raw().metadata));
    }
    return out.frame();
}

sdk::status read_send(wire::reader& in, const sdk::send_call& call, std::uint32_t first, std::uint32_t count, bool responds) {
    const auto answer = in.word<wire::answer>();
    for (std::uint32_t i = first; i < first + count; ++i) {
        const auto outcome = in.word<wire::sent>();
        const std::uint32_t responses = in.u32();
        // A second response is the other side's mistake: the first one counts.
        for (std::uint32_t k = 0; k < responses; ++k) {
            const std::string_view text = in.text();
            if (responds && k == 0) call.answer(i, text);
        }
        switch (outcome) {
            case wire::sent::unsent: call.unsent(i); break;
            case wire::sent::again: call.again(i, "the broker said: not now"); break;
            case wire::sent::refused: call.refused(i, "the broker said: never"); break;
            case wire::sent::uncertain: call.uncertain(i, "the broker does not know"); break;
            case wire::sent::done:
                if (responds && responses == 0)
                    call.uncertain(i, "no response came");
                else
                    call.done(i);
        }
    }
    return static_cast<sdk::status>(answer);
}

std::optional<std::string> admin_command(const sdk::control_call& call, const config& with) {
    const sdk::json_value request = call.request().empty() ? sdk::json_value() : sdk::parse_json(call.request());
    const std::string& queue = with.queue;
    if (call.name() == "summary") return "summary " + queue;
    if (call.name() == "disconnect") return "leave " + queue;
    if (call.name() == "revoke")
        return "revoke " + queue + ' ' + text_in(request, "lanes", "1") + ' ' + text_in(request, "deadline_ms", "1000");
    if (call.name() == "refuse")
        return "refuse " + queue + ' ' + text_in(request, "operation", "send") + ' ' + text_in(request, "nth", "1") + ' ' +
               text_in(request, "class", "retry");
    return {};
}

sdk::status read_admin(wire::reader& in, const sdk::control_call& call) {
    in.u8();
    const std::string_view said = in.text();
    if (said.starts_with("error")) return call.fail(sdk::status::rejected, said);
    call.answer(said == "ok" ? "{}" : said);
    return sdk::status::done;
}

}  // namespace mqb::shapes
