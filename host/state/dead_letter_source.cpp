#include "host/state/dead_letter_source.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <utility>

namespace mqb::state {

namespace {

using core::status;

constexpr std::uint32_t heads_at_a_time = 512;

// What the buffers of one message point into.
struct letter_owner : core::buffer_owner {
    explicit letter_owner(letter_content c) : buffer_owner{sizeof(buffer_owner), 0, 0, &take, &give}, content(std::move(c)) {
        total_size = sizeof *this + content.metadata.size() + (content.payload ? content.payload->size() : 0);
    }
    static void take(buffer_owner* self) { static_cast<letter_owner*>(self)->users.fetch_add(1, std::memory_order_relaxed); }
    static void give(buffer_owner* self) {
        auto* mine = static_cast<letter_owner*>(self);
        if (mine->users.fetch_sub(1, std::memory_order_acq_rel) == 1) delete mine;
    }
    std::atomic<std::uint64_t> users{1};
    letter_content content;
};

core::buffer view(const std::string& bytes, letter_owner& in) {
    return {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(), &in};
}

std::uint64_t now_ns() {
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count());
}

}  // namespace

struct dead_letter_source::batch {
    ~batch() {
        for (letter_owner* owner : owners) letter_owner::give(owner);
    }
    void add(const letter& head, letter_content content) {
        auto* owner = new letter_owner{std::move(content)};
        owners.push_back(owner);
        ids.push_back(head.id);
        core::message& m = messages.emplace_back();
        m.id = owner->content.message_id;
        m.lane = owner->content.lane;
        m.delivery_count = head.attempts == UINT32_MAX ? head.attempts : head.attempts + 1;
        if (owner->content.payload) m.payload = view(*owner->content.payload, *owner);
        if (!owner->content.metadata.empty()) m.metadata = view(owner->content.metadata, *owner);
    }
    std::vector<core::message> messages;
    std::vector<letter_owner*> owners;
    std::vector<std::int64_t> ids;
    std::vector<bool> settled;
};

struct dead_letter_source::answer_mail : core::mail {
    core::call* to = nullptr;
    status answer = status::ok;
};

dead_letter_source::dead_letter_source(std::filesystem::path file, letter_filter filter, core::mailbox& box, text_filter clean)
    : file_(std::move(file)), filter_(std::move(filter)), box_(box), clean_(std::move(clean)) {}

dead_letter_source::~dead_letter_source() = default;

core::promises dead_letter_source::promised() noexcept {
    core::promises out;
    out.flags = core::promises::acknowledges | core::promises::stable_identity | core::promises::finite;
    out.unit = core::settle_unit::message;
    out.dispositions = bit(core::disposition::ack) | bit(core::disposition::nack) | bit(core::disposition::reject);
    return out;
}

// Does the work on the thread and brings its answer through the mailbox.
void dead_letter_source::run(core::call& c, status (dead_letter_source::*work)(core::call& c)) {
    auto mail = std::make_unique<answer_mail>();
    mail->to = &c;
    mail->deliver = [](core::mail& m) noexcept {
        const std::unique_ptr<answer_mail> one{static_cast<answer_mail*>(&m)};
        one->to->done(*one->to, one->answer);
    };
    thread_.post([this, m = mail.release(), work] {
        m->answer = (this->*work)(*m->to);
        box_.put(*m);
    });
}

status dead_letter_source::connect(core::call& c) { return run(c, &dead_letter_source::open_archive), status::pending; }

status dead_letter_source::open_archive(core::call& c) {
    archive_.reset();
    std::error_code ignored;
    if (!std::filesystem::exists(file_, ignored)) {  // nothing was ever stored
        last_ = 0;
        return status::ok;
    }
    auto opened = letter_archive::open(file_);
    if (!opened) return c.texts.set(core::whole_call, opened.error().text), opened.error().what;
    archive_.emplace(std::move(*opened));
    if (last_) return status::ok;  // a second connect goes on where the first one stood
    const auto last = archive_->last_id();
    if (!last) return c.texts.set(core::whole_call, last.error().text), last.error().what;
    last_ = *last;
    return status::ok;
}

status dead_letter_source::receive(core::receive_call& c) { return run(c, &dead_letter_source::read), status::pending; }

status dead_letter_source::read(core::call& c) {
    auto& receive = static_cast<core::receive_call&>(c);
    auto made = std::make_unique<batch>();
    const auto filled = fill(*made, receive);
    if (!filled) return c.texts.set(core::whole_call, filled.error().text), status::disconnected;
    if (made->messages.empty()) return status::end;
    made->settled.resize(made->messages.size());
    receive.messages = core::message_list{std::span<const core::message>{made->messages}};
    receive.batch = made.release();
    return status::ok;
}

// Stops at the bounds of the call, the filter's limit, the end, or before what cannot be read, which the next call finds again. A letter
// that was purged meanwhile is passed over.
core::result<bool> dead_letter_source::fill(batch& to, const core::receive_call& c) {
    std::uint64_t bytes = 0;
    while (archive_ && at_ < *last_ && to.messages.size() < c.max_messages) {
        const std::uint64_t left = filter_.limit == 0 ? UINT64_MAX : filter_.limit - given_;
        const auto most = static_cast<std::uint32_t>(std::min<std::uint64_t>({heads_at_a_time, left, c.max_messages - to.messages.size()}));
        const auto heads = archive_->list(filter_, at_, most);
        if (!heads && !to.messages.empty()) return true;
        if (!heads) return heads.error();
        if (heads->empty()) break;
        for (const letter& head : *heads) {
            if (head.id > *last_) return at_ = *last_, true;
            if (!to.messages.empty() && c.max_bytes != 0 && bytes + head.size > c.max_bytes) return true;
            auto content = archive_->content(head.id);
            if (!content && !to.messages.empty()) return true;
            if (!content) return content.error();
            at_ = head.id;
            if (!*content) continue;
            bytes += head.size + (*content)->metadata.size();
            ++given_;
            to.add(head, std::move(**content));
        }
    }
    return true;
}

status dead_letter_source::settle(core::settle_call& c) { return run(c, &dead_letter_source::record), status::pending; }

status dead_letter_source::record(core::call& c) {
    auto& settle = static_cast<core::settle_call&>(c);
    const auto recorded = record_entries(settle);
    if (!recorded) c.texts.set(core::whole_call, recorded.error().text);
    for (std::uint32_t i = 0; i < settle.outcomes.count; ++i)
        settle.outcomes[i].set(recorded ? core::settle_result::ok : core::settle_result::retry);
    return recorded ? status::ok : status::disconnected;
}

std::string dead_letter_source::cleaned(std::string_view error) const { return clean_ ? clean_(error) : std::string{error}; }

core::result<void> dead_letter_source::record_entries(core::settle_call& c) {
    if (!archive_) return core::failure{status::disconnected, file_.string() + ": is not open"};
    auto& from = *static_cast<batch*>(c.batch);
    std::vector<std::int64_t> gone;
    std::vector<letter_archive::attempt> failed;
    for (std::uint32_t i = 0; i < c.entries.count; ++i) {
        const core::settle_entry entry = c.entries.copy(i);
        if (entry.what == core::disposition::ack)
            gone.push_back(from.ids.at(entry.index));
        else
            failed.push_back({from.ids.at(entry.index), cleaned(entry.reason), now_ns()});
    }
    if (!gone.empty())
        if (auto removed = archive_->remove(gone); !removed) return removed;
    if (!failed.empty())
        if (auto added = archive_->add_attempts(failed); !added) return added;
    for (std::uint32_t i = 0; i < c.entries.count; ++i) from.settled[c.entries[i].index] = true;
    return {};
}

void dead_letter_source::free_batch(void* given) {
    auto* ended = static_cast<batch*>(given);
    thread_.post([this, ended] {
        const std::unique_ptr<batch> owned{ended};
        std::vector<letter_archive::attempt> failed;
        for (std::size_t i = 0; i < owned->ids.size(); ++i)
            if (!owned->settled[i]) failed.push_back({owned->ids[i], {}, now_ns()});
        // A fault here costs a count, not a letter.
        if (!failed.empty() && archive_) (void)archive_->add_attempts(failed);
    });
}

// Answers after everything that was posted before.
status dead_letter_source::close(core::call& c) { return run(c, &dead_letter_source::close_archive), status::pending; }

status dead_letter_source::close_archive(core::call&) {
    archive_.reset();
    return status::ok;
}

}  // namespace mqb::state
