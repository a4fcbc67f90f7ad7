#include "publisher.hpp"

#include <algorithm>
#include <utility>

namespace mqb::compressing {

using sdk::status;

namespace {
struct into_block final : codec::sink {
    explicit into_block(byte_block& block) : to(block) {}
    int take(std::string_view bytes) override { return to.append(bytes), 0; }
    byte_block& to;
};
}  // namespace

publisher::publisher(const sdk::context& made, const config& with) : publisher_middleware(made) {
    if (with.algorithm != codec::compression::none) compressor_ = codec::make_compressor(with.algorithm);
}

publisher::~publisher() = default;

publisher::one_send& publisher::take(const sdk::send_call& call) {
    auto at = std::ranges::find_if(sends_, [](const auto& s) { return s->is_free; });
    if (at == sends_.end()) at = sends_.insert(at, std::make_unique<one_send>());
    one_send& s = **at;
    s.self = this;
    s.is_free = false;
    s.given = call;
    s.payloads.clear();
    return s;
}

void publisher::pack(one_send& s) {
    s.messages.copy(s.given.raw().messages);
    if (!compressor_) return;
    s.payloads.resize(s.messages.size());
    for (std::uint32_t i = 0; i < s.messages.size(); ++i) {
        mqb_message& m = s.messages[i];
        if (!m.payload.data) continue;
        into_block into{s.payloads[i]};
        compressor_->begin();
        (void)compressor_->add({reinterpret_cast<const char*>(m.payload.data), m.payload.size}, true, into);
        m.payload = sdk::borrowed(s.payloads[i].text());
    }
}

status publisher::send(sdk::send_call& call) {
    one_send& s = take(call);
    pack(s);
    mqb_send& raw = s.below.raw();
    raw.messages = s.messages.list();
    raw.outcomes = call.raw().outcomes;
    raw.answer = nullptr;
    if (call.raw().answer)
        raw.answer = [](mqb_send* below, std::uint32_t index, const mqb_message* response) {
            sdk::outgoing<mqb_send>::from(*below).owner<one_send>().given.answer(index, *response);
        };
    const status answer = s.below.run([this](mqb_send* below) { return inner()->table->send(inner(), below); }, ended, s);
    if (answer == status::pending) {
        s.above = call.later();
        return answer;
    }
    explain(s);
    s.is_free = true;
    return answer;
}

void publisher::explain(const one_send& s) {
    for (std::uint32_t i = 0; i < s.given.size(); ++i)
        if (const std::string& text = s.below.text(i); !text.empty()) s.given.explain(i, text);
    s.below.explain_to(s.given);
}

void publisher::ended(one_send& s, status answer) {
    explain(s);
    auto above = std::move(s.above);
    s.is_free = true;
    above.complete(answer);
}

void publisher::cancel(std::uint64_t operation) {
    const auto at = std::ranges::find_if(sends_, [&](const auto& s) { return !s->is_free && s->above && s->above.id() == operation; });
    if (at != sends_.end()) inner()->table->cancel(inner(), (*at)->below.id());
}

}  // namespace mqb::compressing
