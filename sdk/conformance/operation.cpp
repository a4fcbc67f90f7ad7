#include "operation.hpp"

#include <atomic>
#include <cstring>
#include <unordered_map>

namespace mqb::conformance {
namespace {
std::atomic<std::uint64_t> moments{0};

// The length of the sequence that begins at p; 0: there is none.
std::size_t utf8_sequence(const unsigned char* p, std::size_t left) {
    if (p[0] < 0x80) return 1;
    const std::size_t n = p[0] >= 0xC2 && p[0] < 0xE0 ? 2u : p[0] >= 0xE0 && p[0] < 0xF0 ? 3u : p[0] >= 0xF0 && p[0] < 0xF5 ? 4u : 0u;
    if (n == 0 || n > left) return 0;
    for (std::size_t i = 1; i < n; ++i)
        if ((p[i] & 0xC0) != 0x80) return 0;
    const bool overlong = (p[0] == 0xE0 && p[1] < 0xA0) || (p[0] == 0xF0 && p[1] < 0x90);
    const bool outside = (p[0] == 0xED && p[1] > 0x9F) || (p[0] == 0xF4 && p[1] > 0x8F);
    return overlong || outside ? 0 : n;
}

std::mutex registry_guard;
auto& registry = *new std::unordered_map<const void*, operation*>;  // kept for ever, with what is in it
std::atomic<std::uint64_t> next_id{0x5100000000000001u};            // large: a plugin that keeps 32 bits of it is found out

bool known(mqb_status s) { return s >= MQB_OK && s <= MQB_UNSUPPORTED; }
}  // namespace

std::uint64_t next_moment() noexcept { return ++moments; }

void check_text(const std::string& whose, mqb_text t) {
    if (t.size && !t.data) return note(rules::text, whose + " has a size and no data");
    const auto* p = reinterpret_cast<const unsigned char*>(t.data);
    for (std::size_t at = 0; at < t.size;) {
        const std::size_t n = utf8_sequence(p + at, t.size - at);
        if (n == 0) return note(rules::text, whose + " is no UTF-8 at byte " + std::to_string(at));
        at += n;
    }
}

const char* name_of_status(mqb_status s) {
    static const char* const names[] = {"OK",           "PENDING", "RETRY",     "REJECTED",   "BAD_CONFIG",
                                        "DISCONNECTED", "END",     "CANCELLED", "UNSUPPORTED"};
    return known(s) ? names[s] : "an unknown status";
}

operation::operation(const char* what, std::size_t size)
    : what_(what), memory_(size + extra_struct), size_(size), id_(next_id.fetch_add(0x10001)) {
    std::memset(memory_.data() + size, poison, extra_struct);
    head()->struct_size = static_cast<std::uint32_t>(size + extra_struct);
    head()->operation = id_;
    head()->done = on_completion;
    head()->explain = on_explain;
    std::lock_guard lock(registry_guard);
    registry[memory_.data()] = this;
}

operation* operation::of(const void* call) {
    std::lock_guard lock(registry_guard);
    auto it = registry.find(call);
    return it == registry.end() ? nullptr : it->second;
}

mqb_status operation::start(const std::function<mqb_status()>& call, std::recursive_mutex* serial) {
    started_ = true;
    began_at_ = next_moment();
    mqb_status answered;
    {
        std::unique_lock<std::recursive_mutex> turn;
        if (serial) turn = std::unique_lock(*serial);
        const void* outer = inside_now().start;
        inside_now().start = memory_.data();
        try {
            answered = enter(what_, call);
        } catch (...) {
            inside_now().start = outer;
            throw;
        }
        inside_now().start = outer;
    }
    std::lock_guard lock(guard);
    returned_ = true;
    if (answered == MQB_PENDING) {
        pending_ = true;
        if (inside_start_) note(rules::done_inside, std::string("`done` of ") + what_ + " came inside its start");
        if (completions_) close();
    } else {
        if (completions_) note(rules::done_never, std::string(what_) + " answered " + name_of_status(answered) + " and called `done`");
        if (!known(answered)) note(rules::known_status, std::string(what_) + " answered status " + std::to_string(answered));
        status_ = answered;
        close();
    }
    return answered;
}

void operation::on_completion(mqb_call* call, mqb_status status) {
    const std::uint64_t now = next_moment();
    operation* self = of(call);
    if (!self) return note(rules::struct_owner, "`done` was called with a struct that is not the caller's");
    std::function<void(mqb_status)> next;
    {
        std::lock_guard lock(self->guard);
        const std::string what = self->what_;
        if (inside_now().start == call) self->inside_start_ = true;
        if (inside_now().cancel) note(rules::done_inside, "`done` of " + what + " came inside cancel");
        if (self->returned_ && !self->pending_)
            note(rules::done_never, what + " answered " + name_of_status(self->status_) + " and `done` was called later");
        else if (++self->completions_ > 1)
            note(rules::done_once, "`done` of " + what + " came " + std::to_string(self->completions_) + " times");
        else {
            if (status == MQB_PENDING || !known(status))
                note(rules::known_status, "`done` of " + what + " brought " + name_of_status(status) + " (" + std::to_string(status) + ")");
            self->status_ = status;
            self->completed_at_ = now;
            if (self->returned_) self->close();
            next = self->on_done;
        }
        self->arrived_.notify_all();
    }
    if (next) next(status);
}

void operation::on_explain(mqb_call* call, std::uint32_t entry, mqb_text text) {
    operation* self = of(call);
    if (!self) return note(rules::explain, "explain was called with a struct that is not the caller's");
    check_text(std::string("a text of explain of ") + self->what_, text);
    std::lock_guard lock(self->guard);
    if (self->completions_ || (self->returned_ && !self->pending_))
        note(rules::explain, std::string("explain of ") + self->what_ + " came after the answer");
    if (entry != MQB_WHOLE_CALL && entry >= self->entries)
        note(rules::explain,
             std::string("explain of ") + self->what_ + " names entry " + std::to_string(entry) + " of " + std::to_string(self->entries));
    self->texts_.push_back({entry, text.size ? std::string(text.data, text.size < 4096 ? text.size : 4096) : std::string()});
}

void operation::close() {
    for (std::size_t i = 0; i < extra_struct; ++i)
        if (memory_.data()[size_ + i] != poison) {
            note(rules::growth, std::string(what_) + " wrote behind the part of the call struct that it knows");
            break;
        }
    memory_.freeze();
}

bool operation::wait(std::chrono::milliseconds patience) {
    std::unique_lock lock(guard);
    return arrived_.wait_for(lock, patience, [this] { return (returned_ && !pending_) || completions_ > 0; });
}
mqb_status operation::answer(std::chrono::milliseconds patience) {
    const std::string waiting = std::string("waiting for `done` of ") + what_;
    mark(waiting.c_str());
    if (!wait(patience))
        fail(rules::done_once, std::string("`done` of ") + what_ + " did not come within " + std::to_string(patience.count()) + " ms");
    mark(nullptr);
    return status();
}
bool operation::finished() {
    std::lock_guard lock(guard);
    return (returned_ && !pending_) || completions_ > 0;
}
std::uint64_t operation::answered_at() {
    std::lock_guard lock(guard);
    return pending_ ? completed_at_ : began_at_;
}
mqb_status operation::status() {
    std::lock_guard lock(guard);
    return status_;
}
std::vector<heard> operation::explained() {
    std::lock_guard lock(guard);
    return texts_;
}
std::string operation::why() {
    std::string out = name_of_status(status());
    for (const heard& h : explained()) out += ", \"" + h.text + "\"";
    return out;
}

}  // namespace mqb::conformance
