#include "core/structural/static.hpp"

#include "core/middlewares/metadata_edit.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mqb::core {

namespace {

struct static_config {
    std::string body;
    bool raw = false;
    std::vector<std::pair<std::string, std::string>> metadata = {};
    std::uint64_t count = UINT64_MAX;  // messages in all
};

counted_block block_of(std::string_view text) {
    counted_block block{text.size()};
    std::ranges::copy(text, block.bytes());
    return block;
}

counted_block metadata_of(const static_config& config) {
    std::vector<text_edit> entries;
    for (const auto& [key, value] : config.metadata) entries.push_back({key, value});
    return edited(buffer{}, entries);
}

struct static_batch {
    std::vector<message> messages;
    std::uint64_t unsettled = 0;
};

std::string text_in(const boost::json::value& v) { return std::string{v.get_string().data(), v.get_string().size()}; }

// Templates that a body may hold are refused, since to send them as they are would be another text than the one that is meant.
// Their escape `$${` stands for `${`, and what is no template is text.
result<std::string> literal(std::string_view body) {
    std::string out;
    for (std::size_t at = 0; at < body.size(); ++at) {
        const std::string_view rest = body.substr(at);
        if (rest.starts_with("$${")) ++at;
        for (const std::string_view name : {"${payload:", "${metadata:", "${message:", "${gen:", "${env:"})
            if (rest.starts_with(name))
                return failure{status::bad_config, "body: " + std::string{name} + "…} is not supported by this version"};
        out += body[at];
    }
    return out;
}

result<static_config> read(std::string_view config) {
    boost::system::error_code failed;
    const boost::json::value value = boost::json::parse({config.data(), config.size()}, failed);
    if (failed) return failure{status::bad_config, failed.message()};
    static_config out;
    if (value.is_object()) {
        const boost::json::object& all = value.get_object();
        if (const auto* raw = all.if_contains("raw"); raw && raw->is_bool()) out.raw = raw->get_bool();
        if (const auto* count = all.if_contains("count"); count && count->is_int64())
            out.count = static_cast<std::uint64_t>(count->get_int64());
        if (const auto* metadata = all.if_contains("metadata"); metadata && metadata->is_object())
            for (const auto& entry : metadata->get_object()) {
                if (entry.key().empty() || entry.key().size() > UINT16_MAX || !entry.value().is_string())
                    return failure{status::bad_config, "metadata: \"" + std::string{entry.key()} + "\" is no key with a text"};
                out.metadata.emplace_back(entry.key(), text_in(entry.value()));
            }
    }
    const boost::json::value* body = value.is_string() ? &value : value.is_object() ? value.get_object().if_contains("body") : nullptr;
    if (!body || !body->is_string()) return failure{status::bad_config, "has no body"};
    auto text = literal(text_in(*body));
    if (!text) return text.error();
    out.body = std::move(*text);
    if (!out.metadata.empty() && metadata_of(out).get().is_null())
        return failure{status::bad_config, "metadata: more than a message can hold"};
    return out;
}

class static_consumer final : public consumer {
public:
    static_consumer(static_config config, std::uint64_t count)
        : body_(block_of(config.body)), metadata_(metadata_of(config)), left_(count),
          time_(std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count()) {}

    status connect(call&) override { return status::ok; }
    status receive(receive_call& c) override {
        if (left_ == 0) return status::end;
        std::uint64_t n = std::min<std::uint64_t>(left_, c.max_messages);
        if (c.max_bytes != 0 && body_.get().size != 0) n = std::clamp<std::uint64_t>(c.max_bytes / body_.get().size, 1, n);
        auto batch = std::make_unique<static_batch>();
        batch->messages.resize(n);
        batch->unsettled = n;
        for (message& m : batch->messages) {
            m.payload = body_.get();
            m.metadata = metadata_.get();
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

    counted_block body_, metadata_;  // that all messages share
    std::uint64_t left_;
    std::uint64_t made_ = 0;
    std::int64_t time_;
};

// Answers each message with the body, if anybody wants an answer.
class static_publisher final : public publisher {
public:
    explicit static_publisher(const static_config& config)
        : body_(block_of(config.raw ? config.body : boost::json::serialize(boost::json::string(config.body)))),
          metadata_(metadata_of(config)) {}

    status connect(call&) override { return status::ok; }
    status send(send_call& c) override {
        message response;
        response.payload = body_.get();
        response.metadata = metadata_.get();
        for (std::uint32_t i = 0; i < c.messages.count; ++i) {
            response.id = c.messages.copy(i).id;
            if (c.answer) c.answer(c, i, response);
            c.outcomes[i].set(send_result::done);
        }
        return status::ok;
    }
    void cancel(call&) override {}
    status close(call&) override { return status::ok; }
    void listen(event_sink*) override {}

private:
    counted_block body_, metadata_;
};

}  // namespace

std::string_view static_factory::schema() const noexcept {
    return R"({
  "type": ["string", "object"],
  "description": "an input that gives the same text again and again, an output that answers with it; a text by itself is the body",
  "properties": {
    "body": {"type": "string", "description": "the payload"},
    "raw": {"type": "boolean", "default": false, "description": "an output answers with the body as it is, not with a JSON string of it; says nothing on an input"},
    "metadata": {"type": "object", "additionalProperties": {"type": "string"}, "default": {}, "description": "of each message or answer"},
    "count": {"type": "integer", "minimum": 1, "description": "of an input: messages in all; unset: endless, and one batch in a drain"}
  },
  "required": ["body"],
  "additionalProperties": false
})";
}

result<promises> static_factory::promise(std::string_view config, side which) const {
    const auto read_config = read(config);
    if (!read_config) return read_config.error();
    promises out;
    if (which == publisher_side) {
        out.flags = promises::responds | promises::ordered | promises::ordered_retry | promises::concurrent | promises::idempotent;
        return out;
    }
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

boost::asio::awaitable<result<std::unique_ptr<publisher>>> static_factory::make_publisher(instance_context, std::string config) {
    const auto read_config = read(config);
    if (!read_config) co_return read_config.error();
    co_return std::unique_ptr<publisher>{std::make_unique<static_publisher>(*read_config)};
}

}  // namespace mqb::core
