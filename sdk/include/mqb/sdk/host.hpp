// host: what the host offers to one instance: logs, events, clocks and templates.
#pragma once

#include <mqb/host.h>
#include <mqb/sdk/status.hpp>

#include <chrono>
#include <optional>

namespace mqb::sdk {

// A template field of the configuration, as the plugin gets it: a number for `render`.
struct template_field {
    std::optional<std::uint32_t> number;
    explicit operator bool() const noexcept { return number.has_value(); }
};

// The path of a file, in which a template may stand. With tokens it is empty and has a number for `render`, whose text is a path then:
// what comes from a message is a part of one name in it, and a message whose values are none is false there.
struct path_template : std::string {
    using std::string::string;
    using std::string::operator=;
    std::optional<std::uint32_t> number;
    bool has_tokens() const noexcept { return number.has_value(); }
    template_field tokens() const noexcept { return {number}; }
};

// A reference to the host, as cheap as a pointer. Threads: every function is [any]. Inside create only the logs and clocks.
class host_ref {
public:
    host_ref() = default;
    explicit host_ref(mqb_host* raw) noexcept : raw_(raw) {}
    mqb_host* raw() const noexcept { return raw_; }

    bool writes(std::int32_t level) const noexcept { return raw_ && level >= raw_->table->log_level(raw_); }
    // One line; the parts are put together only if the level is written.
    template <class... Parts>
    void log(std::int32_t level, const Parts&... parts) const noexcept {
        if (!writes(level)) return;
        try {
            raw_->table->log(raw_, level, text_of(join(parts...)));
        } catch (...) {  // no memory for the line: the line is what is lost
        }
    }
    template <class... Parts>
    void debug(const Parts&... parts) const {
        log(MQB_LOG_DEBUG, parts...);
    }
    template <class... Parts>
    void info(const Parts&... parts) const {
        log(MQB_LOG_INFO, parts...);
    }
    template <class... Parts>
    void warning(const Parts&... parts) const {
        log(MQB_LOG_WARNING, parts...);
    }
    template <class... Parts>
    void error(const Parts&... parts) const {
        log(MQB_LOG_ERROR, parts...);
    }

    void connected() const { raise(MQB_STATE, {}, 1); }
    void reconnecting(std::string_view cause) const { raise(MQB_STATE, cause, 0); }
    void count(std::string_view name, std::int64_t add) const { raise(MQB_COUNT, name, add); }
    void warn(std::string_view text) const { raise(MQB_WARN, text, 0); }  // something that an operator should see once
    void lanes_ending(std::int64_t token, std::span<const std::uint64_t> lanes, std::uint64_t deadline_ns) const {
        raise(MQB_LANES_ENDING, {}, token, lanes, deadline_ns);
    }
    void lanes_ended(std::int64_t token, std::span<const std::uint64_t> lanes = {}) const { raise(MQB_LANES_ENDED, {}, token, lanes); }

    std::uint64_t now() const { return raw_->table->now(raw_, MQB_CLOCK_STEADY); }  // ns; what wait_until and deadlines use
    std::uint64_t wall() const { return raw_->table->now(raw_, MQB_CLOCK_WALL); }   // ns since 1970

    // Puts the text of a template for one message into `out`, whose memory is used again. False: the message has not what the
    // template asks for.
    bool render(template_field field, const mqb_message& message, std::string& out) const {
        if (out.capacity() < 256) out.reserve(256);
        for (std::size_t room = out.capacity(); room <= largest_text;) {
            out.resize(room);
            std::size_t size = room;
            const mqb_status answer = raw_->table->render(raw_, field.number.value_or(UINT32_MAX), &message, out.data(), &size);
            if (answer == MQB_OK) return out.resize(size), true;
            if (answer != MQB_RETRY) break;
            room = size > room ? size : room * 2;
        }
        return out.clear(), false;
    }

private:
    void raise(std::int32_t kind, std::string_view text, std::int64_t number, std::span<const std::uint64_t> lanes = {},
               std::uint64_t deadline_ns = 0) const {
        mqb_event event{};
        event.struct_size = sizeof event;
        event.kind = kind;
        event.text = text_of(text);
        event.number = number;
        event.deadline_ns = deadline_ns;
        event.lanes = lanes.data();
        event.lane_count = static_cast<std::uint32_t>(lanes.size());
        raw_->table->event(raw_, &event);
    }

    static constexpr std::size_t largest_text = 256u << 20;
    mqb_host* raw_ = nullptr;
};

}  // namespace mqb::sdk
