#include "host/state/letter_writer.hpp"

#include "host/state/letter.hpp"
#include "host/state/letter_tables.hpp"
#include "host/state/utf8.hpp"

#include <sys/statvfs.h>
#include <algorithm>

namespace mqb::state {

namespace {

constexpr std::size_t most_at_a_time = 64;             // burials in one transaction
constexpr std::size_t longest_error = 16384;           // bytes; an error may quote a whole answer of a server
constexpr std::size_t longest_name = 4096;             // bytes, of a route or an endpoint
constexpr std::uint64_t taken_by_columns = 256;        // about what a row and its index take beside its contents
constexpr std::uint64_t largest_letter = 990'000'000;  // SQLite takes rows of up to 1,000,000,000 bytes
constexpr std::string_view insert_sql =
    "INSERT INTO letters (route, endpoint, class, error, attempts, first_at, last_at, may_have_arrived, source, size, taken, message_id, "
    "lane,"
    " delivery_count, metadata, payload) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)";

std::uint64_t taken_by(const core::dead_letter& one) {
    const std::uint64_t error = one.note ? std::min(one.note->error.size(), longest_error) : 0;
    return one.what->payload.size + one.what->metadata.size + error + taken_by_columns;
}

std::string size_text(std::uint64_t bytes) {
    constexpr std::uint64_t mib = 1u << 20;
    return bytes < 10 * mib ? std::to_string(bytes) + " bytes" : std::to_string(bytes / mib) + " MiB";
}

std::int64_t as_signed(std::uint64_t value) { return static_cast<std::int64_t>(value); }

constexpr std::uintmax_t most_checked = 256 << 20;  // bytes of a store that is looked through when it is opened

}  // namespace

core::result<std::unique_ptr<letter_writer>> letter_writer::open(std::filesystem::path file, letter_limits limits) {
    auto opened = make_letters(file, limits.patience);
    if (!opened) return opened.error();
    // Letters that go into a damaged file may never come out again.
    std::error_code ignored;
    if (std::filesystem::file_size(file, ignored) <= most_checked) {
        auto looking = database::open(file, limits.patience);  // what it has read is not kept
        if (!looking) return looking.error();
        if (auto sound = (*looking)->check(); !sound) return sound.error();
    }
    return std::unique_ptr<letter_writer>{new letter_writer{std::move(file), std::move(limits), std::move(*opened)}};
}

void letter_writer::submit(burial& one) {
    bool is_first;
    {
        std::lock_guard lock{mutex_};
        is_first = waiting_.empty();
        waiting_.push_back(&one);
    }
    if (is_first) thread_.post([this] { write_waiting(); });
}

bool letter_writer::withdraw(burial& one) {
    std::lock_guard lock{mutex_};
    return std::erase(waiting_, &one) != 0;
}

void letter_writer::write_waiting() {
    std::vector<burial*> all;
    {
        std::lock_guard lock{mutex_};
        all.swap(waiting_);
    }
    for (std::size_t at = 0; at < all.size(); at += most_at_a_time) {
        const auto part = std::span<burial* const>{all}.subspan(at, std::min(most_at_a_time, all.size() - at));
        if (auto written = write(part); !written) {
            for (burial* one : part) {
                one->answer = core::status::retry;
                one->text = written.error().text;
            }
        }
        for (burial* one : part) one->box->put(*one);
    }
}

// Each burial gets its answer, unless there is a fault: then nothing is stored.
core::result<void> letter_writer::write(std::span<burial* const> all) {
    if (in_ && in_->is_gone()) in_.reset();
    if (!in_) {
        auto opened = make_letters(file_, limits_.patience);
        if (!opened) return opened.error();
        in_ = std::move(*opened);
    }
    if (!write_transaction(all)) {
        const core::failure why = in_->fault();
        in_.reset();  // rolls back; a new connection sees what has been repaired meanwhile
        return why;
    }
    if (in_->is_gone()) return core::failure{core::status::retry, file_.string() + ": was taken away while letters were written to it"};
    return {};
}

bool letter_writer::write_transaction(std::span<burial* const> all) {
    if (!in_->run("BEGIN IMMEDIATE")) return false;
    {
        room left = find_room();
        statement total{*in_, "SELECT coalesce(max(taken), 0) FROM totals WHERE route = ?1"};
        statement insert{*in_, insert_sql};
        for (burial* one : all) {
            const std::string route = storable_text(*one->route, longest_name);
            if (total.bind_text(1, route).next() != statement::step::row) return false;
            const auto taken = static_cast<std::uint64_t>(total.number(0));
            total.reset();
            one->text = fault_in_room(*one, taken, left);
            one->answer = one->text.empty() ? core::status::ok : core::status::retry;
            if (!one->text.empty()) continue;
            for (const core::dead_letter& letter : one->call->letters)
                if (!store(letter, route, insert)) return false;
        }
    }
    return in_->reserve() && in_->run("COMMIT");
}

// Why this burial has to wait for room; empty: it has some, which `left` loses.
std::string letter_writer::fault_in_room(burial& one, std::uint64_t taken, room& left) const {
    std::uint64_t needed = 0;
    for (const core::dead_letter& letter : one.call->letters) {
        const std::uint64_t bytes = taken_by(letter);
        if (bytes > largest_letter)
            return "a message of " + size_text(bytes) + " is larger than a dead letter can be (" + size_text(largest_letter) +
                   "): give the route a dead_letters.endpoint";
        needed += bytes;
    }
    if (one.max_bytes != 0 && needed > one.max_bytes - std::min(taken, one.max_bytes))
        return "the dead letters of route \"" + *one.route + "\" have reached dead_letters.max_bytes (" + size_text(taken) + " of " +
               size_text(one.max_bytes) + " are taken, " + size_text(needed) +
               " more are needed): replay or purge some, or raise the bound";
    // Once in the journal, which is given back, and once in the database, where free pages are taken first.
    const std::uint64_t in_pages = std::min(needed, left.in_file);
    const std::uint64_t on_disk = needed + (needed - in_pages);
    const std::uint64_t usable = in_pages == needed ? left.on_disk : left.beyond_kept;
    if (on_disk > usable)
        return file_.string() + ": the file system has no room for " + size_text(needed) + " of dead letters (" + size_text(usable) +
               (in_pages == needed ? " are free" : " beyond what stays free") + "): make room there, or purge dead letters";
    left.in_file -= in_pages;
    left.on_disk -= std::min(left.on_disk, on_disk);
    left.beyond_kept -= std::min(left.beyond_kept, on_disk);
    one.is_near = one.max_bytes != 0 && taken + needed > one.max_bytes / 5 * 4 && taken <= one.max_bytes / 5 * 4;
    return {};
}

letter_writer::room letter_writer::find_room() {
    room out;
    const auto pages = in_->number("PRAGMA freelist_count");
    const auto page_size = in_->number("PRAGMA page_size");
    if (pages && page_size) out.in_file = static_cast<std::uint64_t>(*pages * *page_size);
    struct statvfs found {};
    if (::statvfs(file_.parent_path().c_str(), &found) != 0) return out;  // the write itself will tell
    const std::uint64_t unit = found.f_frsize;
    const std::uint64_t keep = std::min(limits_.keep_free, found.f_blocks * unit / 20);
    out.on_disk = found.f_bavail * unit;
    out.beyond_kept = out.on_disk - std::min(out.on_disk, keep);
    return out;
}

bool letter_writer::store(const core::dead_letter& one, const std::string& route, statement& insert) const {
    static const core::failure_note nothing;
    const core::failure_note& note = one.note ? *one.note : nothing;
    const core::message& m = *one.what;
    const std::string endpoint = storable_text(note.endpoint, longest_name);
    const std::string error = storable_text(limits_.clean ? limits_.clean(note.error) : note.error, longest_error);
    const std::string source = source_json(m);
    insert.bind_text(1, route).bind_text(2, endpoint).bind_text(3, class_name(one.why)).bind_text(4, error);
    insert.bind(5, note.attempts).bind(6, as_signed(note.first_at)).bind(7, as_signed(note.last_at)).bind(8, note.may_have_arrived);
    insert.bind_text(9, source).bind(10, as_signed(m.payload.size)).bind(11, as_signed(taken_by(one)));
    insert.bind_bytes(12, {reinterpret_cast<const char*>(m.id.data()), m.id.size()});
    insert.bind(13, as_signed(m.lane)).bind(14, m.delivery_count);
    insert.bind_bytes(15, m.metadata.data ? m.metadata.text() : std::string_view{""}).bind_bytes(16, m.payload.text());
    return insert.run();
}

}  // namespace mqb::state
