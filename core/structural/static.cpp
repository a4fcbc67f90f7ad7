#include "core/structural/static.hpp"

#include "core/expressions/json_text.hpp"
#include "core/middlewares/metadata_edit.hpp"
#include "core/templates/renderer.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mqb::core {

namespace {

// Of one batch whose messages are not all the same, where the route names no bound.
constexpr std::uint64_t usual_bytes = 16u << 20;
constexpr std::size_t most_kept = 1u << 20;

struct static_config {
    templates::text_template body;
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
    counted_block texts;  // of the messages, where each has its own
    std::uint64_t unsettled = 0;
};

std::string text_in(const boost::json::value& v) { return std::string{v.get_string().data(), v.get_string().size()}; }

std::string lower(std::string text) {
    std::ranges::transform(text, text.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return text;
}

bool is_json(const std::vector<std::pair<std::string, std::string>>& metadata) {
    return std::ranges::any_of(metadata, [](const auto& entry) {
        const std::string key = lower(entry.first);
        return (key == "content-type" || key == "content_type") && lower(entry.second).find("json") != std::string::npos;
    });
}

result<static_config> read(std::string_view config) {
    boost::system::error_code failed;
    const boost::json::value value = boost::json::parse({config.data(), config.size()}, failed);
    if (failed) return failure{status::bad_config, failed.message()};
    const boost::json::object nothing;
    const boost::json::object& all = value.is_object() ? value.get_object() : nothing;
    std::vector<std::pair<std::string, std::string>> metadata;
    if (const auto* entries = all.if_contains("metadata"); entries && entries->is_object())
        for (const auto& entry : entries->get_object()) {
            if (entry.key().empty() || entry.key().size() > UINT16_MAX || !entry.value().is_string())
                return failure{status::bad_config, "metadata: \"" + std::string{entry.key()} + "\" is no key with a text"};
            metadata.emplace_back(entry.key(), text_in(entry.value()));
        }
    const auto* raw = all.if_contains("raw");
    const bool is_raw = raw && raw->is_bool() && raw->get_bool();
    const boost::json::value* body = value.is_string() ? &value : all.if_contains("body");
    if (!body || !body->is_string()) return failure{status::bad_config, "has no body"};
    const std::string text = text_in(*body);
    // What is made a JSON string as a whole is escaped then.
    auto made = templates::compile(text, is_raw && is_json(metadata) ? templates::escaping::json : templates::escaping::none);
    if (!made) return failure{status::bad_config, "body: " + made.error().text, expressions::excerpt(text, made.error())};
    static_config out{std::move(*made), is_raw, std::move(metadata)};
    if (const auto* count = all.if_contains("count"); count && count->is_int64())
        out.count = static_cast<std::uint64_t>(count->get_int64());
    if (!out.metadata.empty() && metadata_of(out).get().is_null())
        return failure{status::bad_config, "metadata: more than a message can hold"};
    return out;
}

class static_consumer final : public consumer {
public:
    static_consumer(const static_config& config, std::uint64_t count)
        : template_(config.body), body_(block_of(config.body.constant())), metadata_(metadata_of(config)), left_(count),
          time_(std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count()) {}

    status connect(call&) override { return status::ok; }
    status receive(receive_call& c) override {
        if (left_ == 0) return status::end;
        std::uint64_t n = std::min<std::uint64_t>(left_, c.max_messages);
        const std::uint64_t size = body_.get().size;
        if (c.max_bytes != 0 && size != 0) n = std::clamp<std::uint64_t>(c.max_bytes / size, 1, n);
        auto batch = std::make_unique<static_batch>();
        if (template_.is_constant()) {
            batch->messages.resize(n);
            for (message& m : batch->messages) m.payload = body_.get();
        } else {
            render(*batch, n, c.max_bytes != 0 ? c.max_bytes : usual_bytes);
        }
        batch->unsettled = batch->messages.size();
        for (message& m : batch->messages) {
            m.metadata = metadata_.get();
            name(m);
        }
        left_ -= batch->unsettled;
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
    // Up to n messages, each with a text of its own, in one block. There is no message that a token could look at.
    void render(static_batch& batch, std::uint64_t n, std::uint64_t most_bytes) {
        texts_.clear();
        std::vector<std::size_t> ends;
        while (ends.size() < n && (ends.empty() || texts_.size() + texts_.size() / ends.size() <= most_bytes)) {
            (void)renderer_.append(texts_, template_, {});
            ends.push_back(texts_.size());
        }
        batch.texts = block_of(texts_);
        std::size_t from = 0;
        for (const std::size_t end : ends) {
            buffer& payload = batch.messages.emplace_back().payload;
            payload = {batch.texts.get().data + from, end - from, batch.texts.get().owner};
            from = end;
        }
        if (texts_.capacity() > most_kept) std::string{}.swap(texts_);
    }

    // A UUIDv7 whose random part counts.
    void name(message& m) {
        const std::uint64_t number = ++made_;
        for (std::size_t i = 0; i < 6; ++i) m.id[i] = static_cast<std::uint8_t>(time_ >> (40 - 8 * i));
        m.id[6] = 0x70;
        m.id[8] = 0x80;
        for (std::size_t i = 0; i < 7; ++i) m.id[9 + i] = static_cast<std::uint8_t>(number >> (48 - 8 * i));
    }

    const templates::text_template template_;
    templates::renderer renderer_;
    std::string texts_;
    counted_block body_, metadata_;  // that all messages share; no body where the template is not constant
    std::uint64_t left_;
    std::uint64_t made_ = 0;
    std::int64_t time_;
};

// Answers each message with the body, if anybody wants an answer.
class static_publisher final : public publisher {
public:
    explicit static_publisher(const static_config& config)
        : template_(config.body), is_raw_(config.raw), body_(block_of(as_answer(config.body.constant()))), metadata_(metadata_of(config)) {}

    status connect(call&) override { return status::ok; }
    status send(send_call& c) override {
        for (std::uint32_t i = 0; i < c.messages.count; ++i) {
            if (!c.answer || answer(c, i)) c.outcomes[i].set(send_result::done);
        }
        return status::ok;
    }
    void cancel(call&) override {}
    status close(call&) override { return status::ok; }
    void listen(event_sink*) override {}

private:
    [[nodiscard]] std::string as_answer(const std::string& text) const {
        if (is_raw_) return text;
        std::string out;
        expressions::append_json(out, text);
        return out;
    }

    // False: the message is refused.
    bool answer(send_call& c, std::uint32_t i) {
        const message asked = c.messages.copy(i);
        message response;
        response.id = asked.id;
        response.metadata = metadata_.get();
        response.payload = body_.get();
        counted_block own;
        if (!template_.is_constant()) {
            text_.clear();
            const templates::rendering made = renderer_.append(text_, template_, asked);
            if (made.what == templates::rendered::too_long) {
                c.outcomes[i].set(send_result::refused);
                c.texts.set(i, "static: body: " + templates::why_not(template_, made));
                return false;
            }
            own = block_of(is_raw_ ? text_ : as_answer(text_));
            response.payload = own.get();
            if (text_.capacity() > most_kept) std::string{}.swap(text_);
        }
        c.answer(c, i, response);
        return true;
    }

    const templates::text_template template_;
    const bool is_raw_;
    templates::renderer renderer_;
    std::string text_;
    counted_block body_, metadata_;
};

}  // namespace

std::string_view static_factory::schema() const noexcept {
    return R"({
  "type": ["string", "object"],
  "x-mqb-template": true,
  "description": "an input that gives a text again and again, an output that answers with it; a text by itself is the body",
  "properties": {
    "body": {"type": "string", "x-mqb-template": true, "description": "the payload, a template as docs/templates.md describes; on an input there is no message that it could look at"},
    "raw": {"type": "boolean", "default": false, "description": "an output answers with the body as it is, not with a JSON string of it; says nothing on an input"},
    "metadata": {"type": "object", "additionalProperties": {"type": "string"}, "default": {}, "description": "of each message or answer; with a content-type that contains json what a raw body takes from a message is escaped"},
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
    const auto read_config = read(config);
    if (!read_config) co_return read_config.error();
    std::uint64_t count = read_config->count;
    if (count == UINT64_MAX && context.drain) count = context.batch_messages;
    co_return std::unique_ptr<consumer>{std::make_unique<static_consumer>(*read_config, count)};
}

boost::asio::awaitable<result<std::unique_ptr<publisher>>> static_factory::make_publisher(instance_context, std::string config) {
    const auto read_config = read(config);
    if (!read_config) co_return read_config.error();
    co_return std::unique_ptr<publisher>{std::make_unique<static_publisher>(*read_config)};
}

}  // namespace mqb::core
