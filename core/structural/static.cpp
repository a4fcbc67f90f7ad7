#include "core/structural/static.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>

namespace mqb::core {

namespace {

struct static_config {
    std::string body;
    std::uint64_t count = UINT64_MAX;  // messages in all
};

// The text that all messages share. Outlives the consumer while somebody retains it.
struct shared_text : buffer_owner {
    explicit shared_text(std::string t) : buffer_owner{sizeof(buffer_owner), 0, t.size(), &take, &give}, text(std::move(t)) {}
    static void take(buffer_owner* self) { static_cast<shared_text*>(self)->users.fetch_add(1, std::memory_order_relaxed); }
    static void give(buffer_owner* self) {
        auto* mine = static_cast<shared_text*>(self);
        if (mine->users.fetch_sub(1, std::memory_order_acq_rel) == 1) delete mine;
    }
    std::atomic<std::uint64_t> users{1};
    std::string text;
};

struct static_batch {
    std::vector<message> messages;
    std::uint64_t unsettled = 0;
};

result<static_config> read(std::string_view config) {
    boost::system::error_code failed;
    const boost::json::value value = boost::json::parse({config.data(), config.size()}, failed);
    if (failed) return failure{status::bad_config, failed.message()};
    const auto text = [](const boost::json::value& v) { return std::string{v.get_string().data(), v.get_string().size()}; };
    if (value.is_string()) return static_config{text(value)};
    if (!value.is_object() || !value.get_object().contains("body") || !value.at("body").is_string())
        return failure{status::bad_config, "has no body"};
    static_config out{text(value.at("body"))};
    if (const boost::json::value* count = value.get_object().if_contains("count"); count && count->is_int64())
        out.count = static_cast<std::uint64_t>(count->get_int64());
    return out;
}

class static_consumer final : public consumer {
public:
    static_consumer(static_config config, std::uint64_t count)
        : text_(new shared_text{std::move(config.body)}), left_(count),
          time_(std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count()) {}
    ~static_consumer() override { shared_text::give(text_); }

    status connect(call&) override { return status::ok; }
    status receive(receive_call& c) override {
        if (left_ == 0) return status::end;
        std::uint64_t n = std::min<std::uint64_t>(left_, c.max_messages);
        if (c.max_bytes != 0 && !text_->text.empty()) n = std::clamp<std::uint64_t>(c.max_bytes / text_->text.size(), 1, n);
        auto batch = std::make_unique<static_batch>();
        batch->messages.resize(n);
        batch->unsettled = n;
        for (message& m : batch->messages) {
            m.payload = {reinterpret_cast<const std::uint8_t*>(text_->text.data()), text_->text.size(), text_};
            name(m);
        }
        left_ -= n;
        c.messages = message_list{std::span<const message>{batch->messages}};
        c.batch = batch.release();
        return status::ok;
    }
    status settle(settle_call& c) override {
        static_cast<static_batch*>(c.batch)->unsettled -= c.entries.count;
        for (std::uint32_t i = 0; i < c.outcomes.count; ++i) c.outcomes[i].set(settle_result::ok);
        return status::ok;
    }
    void free_batch(void* batch) override {
        const std::unique_ptr<static_batch> ended{static_cast<static_batch*>(batch)};
        if (left_ != UINT64_MAX) left_ += ended->unsettled;
    }
    void cancel(call&) override {}
    status close(call&) override { return status::ok; }
    void listen(event_sink*) override {}

private:
    // A UUIDv7 whose random part counts.
    void name(message& m) {
        const std::uint64_t number = ++made_;
        for (std::size_t i = 0; i < 6; ++i) m.id[i] = static_cast<std::uint8_t>(time_ >> (40 - 8 * i));
        m.id[6] = 0x70;
        m.id[8] = 0x80;
        for (std::size_t i = 0; i < 7; ++i) m.id[9 + i] = static_cast<std::uint8_t>(number >> (48 - 8 * i));
    }

    shared_text* text_;
    std::uint64_t left_;
    std::uint64_t made_ = 0;
    std::int64_t time_;
};

}  // namespace

std::string_view static_factory::schema() const noexcept {
    return R"({
  "type": ["string", "object"],
  "description": "gives the same text again and again; a text by itself is the body",
  "properties": {
    "body": {"type": "string", "description": "the payload"},
    "raw": {"type": "boolean", "default": false, "description": "says nothing on an input"},
    "count": {"type": "integer", "minimum": 1, "description": "messages in all; unset: endless, and one batch in a drain"}
  },
  "required": ["body"],
  "additionalProperties": false
})";
}

result<promises> static_factory::promise(std::string_view config, side) const {
    const auto read_config = read(config);
    if (!read_config) return read_config.error();
    promises out;
    out.flags = promises::acknowledges | (read_config->count != UINT64_MAX ? promises::finite : 0u);
    out.dispositions = bit(disposition::ack);
    return out;
}

boost::asio::awaitable<result<std::unique_ptr<consumer>>> static_factory::make_consumer(instance_context context, std::string config) {
    auto read_config = read(config);
    if (!read_config) co_return read_config.error();
    std::uint64_t count = read_config->count;
    if (count == UINT64_MAX && context.drain) count = context.batch_messages;
    co_return std::unique_ptr<consumer>{std::make_unique<static_consumer>(std::move(*read_config), count)};
}

boost::asio::awaitable<result<std::unique_ptr<publisher>>> static_factory::make_publisher(instance_context, std::string) {
    co_return failure{status::unsupported, "\"static\" cannot stand at an output in this version"};
}

}  // namespace mqb::core
