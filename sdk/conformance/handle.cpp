#include "handle.hpp"

#include <cstring>

namespace mqb::conformance {
namespace {
void replace(std::string& text, std::string_view what, std::string_view by) {
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size()) text.replace(at, what.size(), by);
}
}  // namespace

std::string place::fill(std::string text) const {
    replace(text, "${SCRATCH}", scratch);
    replace(text, "${TOPIC}", topic);
    return text;
}

mqb_promises promises_of(const recipe& r, mqb_status* status) {
    const mqb_factory f = as_known(r.factory);
    mqb_promises out = f.kind == MQB_MIDDLEWARE ? r.inner : mqb_promises{};
    out.struct_size = sizeof out;
    if (status) *status = MQB_OK;
    if (!f.promises) return out;
    operation& op = operation::make<mqb_promise>("promises");
    op.head()->done = nullptr;
    op.head()->operation = 0;
    const guarded config(r.config);
    guarded answer(sizeof(mqb_promises) + extra_struct);
    std::memset(answer.data(), poison, answer.size());
    std::memcpy(answer.data(), &out, sizeof out);
    reinterpret_cast<mqb_promises*>(answer.data())->struct_size = static_cast<std::uint32_t>(answer.size());
    mqb_promise& p = op.as<mqb_promise>();
    p.config = config.text();
    p.side = r.side;
    p.promises = reinterpret_cast<mqb_promises*>(answer.data());
    const mqb_status s = op.start([&] { return f.promises(&p); });
    require(s != MQB_PENDING, rules::promises, "promises answered PENDING");
    for (std::size_t i = sizeof out; i < answer.size(); ++i)
        require(answer.data()[i] == poison, rules::growth, "promises wrote behind the part of the struct that it knows");
    std::memcpy(&out, answer.data(), sizeof out);
    require(out.struct_size == answer.size(), rules::growth, "promises changed struct_size of the answer");
    out.struct_size = sizeof out;
    config.destroy();
    answer.destroy();
    if (status)
        *status = s;
    else
        require(s == MQB_OK, rules::promises, "promises answered " + op.why() + " for " + r.config);
    return out;
}

creation create(const recipe& r, fake_host& host) {
    static std::atomic<int> number{0};
    const mqb_factory f = as_known(r.factory);
    operation& op = operation::make<mqb_create>("create");
    op.head()->done = nullptr;
    op.head()->operation = 0;
    mqb_create& c = op.as<mqb_create>();
    // Each text ends at an unreadable page and is gone when create has returned.
    const guarded texts[] = {guarded(r.config), guarded("conformance"), guarded("/input"), guarded("kit-" + std::to_string(++number)),
                             guarded(r.where.scratch + "/private")};
    hostile_list<mqb_child> children(static_cast<std::uint32_t>(r.children.size()));
    for (std::uint32_t i = 0; i < children.count(); ++i) children[i] = r.children[i];
    c.host = host.handle();
    c.config = texts[0].text();
    c.side = r.side;
    c.drain = r.drain;
    c.concurrency = 1;
    c.batch_messages = 128;
    c.byte_budget = 64u << 20;
    c.route = texts[1].text();
    c.path = texts[2].text();
    c.instance = texts[3].text();
    c.directory = texts[4].text();
    c.children = children.list();
    const mqb_status s = op.start([&] { return f.create(&c); });
    void* made = c.made;
    for (const guarded& g : texts) g.destroy();
    require(s != MQB_PENDING, rules::create, "create answered PENDING");
    require(children.tails_intact(), rules::list, "create wrote behind the elements of children");
    host.enter_state(fake_host::state::running);
    return {made, &op};
}

}  // namespace mqb::conformance
