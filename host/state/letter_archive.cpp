#include "host/state/letter_archive.hpp"

#include "host/state/letter_tables.hpp"
#include "host/state/utf8.hpp"

#include <algorithm>
#include <cstring>

namespace mqb::state {

namespace {

using core::result;
using step = statement::step;

// Letters of one step of a purge, and pages of one step of giving back: what a step writes to the journal, about 1 MiB, is all the
// room that it needs; and a host that writes waits no longer than for one.
constexpr std::uint64_t purge_at_a_time = 256;
constexpr std::uint64_t vacuum_at_a_time = 256;
constexpr const char* empty_journal = "PRAGMA wal_checkpoint(PASSIVE)";  // what is written next begins at its front again

// The conditions of a filter, whose texts it borrows, and their parameters. ?1 is the id after which to begin.
class conditions {
public:
    explicit conditions(const letter_filter& filter) : error_(storable_text(filter.error, SIZE_MAX)) {
        if (!filter.route.empty()) text("route = ", filter.route);
        if (!filter.endpoint.empty()) text("endpoint = ", filter.endpoint);
        if (filter.why) text("class = ", class_name(*filter.why));
        if (filter.since) number("last_at >= ", *filter.since);
        if (filter.until) number("last_at < ", *filter.until);
        if (!error_.empty()) {
            sql_ += " AND instr(lower(error), lower(?" + std::to_string(++count_) + ")) > 0";
            texts_.emplace_back(count_, error_);
        }
        if (!filter.ids.empty()) {
            sql_ += " AND id IN (";
            for (std::size_t i = 0; i < filter.ids.size(); ++i) sql_ += (i == 0 ? "" : ",") + std::to_string(filter.ids[i]);
            sql_ += ')';
        }
    }
    [[nodiscard]] const std::string& sql() const noexcept { return sql_; }
    void bind(statement& to, std::int64_t after) const {
        to.bind(1, after);
        for (const auto& [at, value] : texts_) to.bind_text(at, value);
        for (const auto& [at, value] : numbers_) to.bind(at, value);
    }

private:
    void text(const char* condition, std::string_view value) {
        sql_ += std::string{" AND "} + condition + '?' + std::to_string(++count_);
        texts_.emplace_back(count_, value);
    }
    void number(const char* condition, std::uint64_t value) {
        sql_ += std::string{" AND "} + condition + '?' + std::to_string(++count_);
        numbers_.emplace_back(count_, static_cast<std::int64_t>(std::min<std::uint64_t>(value, INT64_MAX)));
    }

    std::string error_;
    std::string sql_ = "id > ?1";
    int count_ = 1;
    std::vector<std::pair<int, std::string_view>> texts_;
    std::vector<std::pair<int, std::int64_t>> numbers_;
};

constexpr std::string_view columns = "id, route, endpoint, class, error, attempts, first_at, last_at, may_have_arrived, source, size";

letter read(const statement& row) {
    letter out;
    out.id = row.number(0);
    out.route = row.bytes(1);
    out.endpoint = row.bytes(2);
    out.why = class_of(row.bytes(3)).value_or(core::death::refused);
    out.error = row.bytes(4);
    out.attempts = static_cast<std::uint32_t>(row.number(5));
    out.first_at = static_cast<std::uint64_t>(row.number(6));
    out.last_at = static_cast<std::uint64_t>(row.number(7));
    out.may_have_arrived = row.number(8) != 0;
    out.source = row.bytes(9);
    out.size = static_cast<std::uint64_t>(row.number(10));
    return out;
}

}  // namespace

result<letter_archive> letter_archive::open(const std::filesystem::path& file) {
    auto opened = open_letters(file);
    if (!opened) return opened.error();
    return letter_archive{std::move(*opened)};
}

// The fault, after the transaction that it happened in is undone.
core::failure letter_archive::undo() {
    core::failure why = in_->fault();
    in_->roll_back();
    return why;
}

result<std::vector<letter>> letter_archive::list(const letter_filter& filter, std::int64_t after, std::uint32_t most) {
    const conditions where{filter};
    statement select{
        *in_, "SELECT " + std::string{columns} + " FROM letters WHERE " + where.sql() + " ORDER BY id LIMIT " + std::to_string(most)};
    where.bind(select, after);
    std::vector<letter> out;
    step got;
    while ((got = select.next()) == step::row) out.push_back(read(select));
    if (got == step::fault) return in_->fault();
    return out;
}

result<std::optional<letter>> letter_archive::find(std::int64_t id) {
    statement select{*in_, "SELECT " + std::string{columns} + " FROM letters WHERE id = ?1"};
    const step got = select.bind(1, id).next();
    if (got == step::fault) return in_->fault();
    return got == step::row ? std::optional{read(select)} : std::nullopt;
}

result<std::optional<letter_content>> letter_archive::content(std::int64_t id) {
    statement select{*in_, "SELECT message_id, lane, delivery_count, metadata, payload FROM letters WHERE id = ?1"};
    const step got = select.bind(1, id).next();
    if (got == step::fault) return in_->fault();
    if (got == step::done) return std::optional<letter_content>{};
    std::optional<letter_content> out{std::in_place};
    const std::string_view name = select.bytes(0);
    std::memcpy(out->message_id.data(), name.data(), std::min(name.size(), out->message_id.size()));
    out->lane = static_cast<std::uint64_t>(select.number(1));
    out->delivery_count = static_cast<std::uint32_t>(select.number(2));
    out->metadata = select.bytes(3);
    if (!select.is_null(4)) out->payload = select.bytes(4);
    return out;
}

result<std::int64_t> letter_archive::last_id() {
    const auto last = in_->number("SELECT max(id) FROM letters");
    if (!last) return in_->fault();
    return *last;
}

result<std::uint64_t> letter_archive::purge(const letter_filter& filter) {
    const conditions where{filter};
    std::uint64_t gone = 0;
    std::uint64_t at_a_time = purge_at_a_time;
    while (filter.limit == 0 || gone < filter.limit) {
        const std::uint64_t most = filter.limit == 0 ? at_a_time : std::min(at_a_time, filter.limit - gone);
        statement erase{*in_, "DELETE FROM letters WHERE id IN (SELECT id FROM letters WHERE " + where.sql() + " ORDER BY id LIMIT " +
                                  std::to_string(most) + ')'};
        where.bind(erase, 0);
        if (erase.next() == step::fault) {
            core::failure why = undo();
            const bool may_try_less = in_->is_out_of_room() && at_a_time > 1;
            erase.reset();
            give_back();
            if (may_try_less) {
                at_a_time /= 4;
                continue;
            }
            if (gone != 0) why.text += " (" + std::to_string(gone) + " were purged)";
            return why;
        }
        const std::int64_t erased = in_->changes();
        gone += static_cast<std::uint64_t>(erased);
        (void)in_->run(empty_journal);
        if (static_cast<std::uint64_t>(erased) < most) break;
    }
    if (gone != 0) give_back();
    return gone;
}

// Gives free pages back to the file system, as far as there is room to move others into them; those that stay are used by what is
// buried next.
void letter_archive::give_back() {
    constexpr const char* free_pages = "PRAGMA freelist_count";
    std::uint64_t at_a_time = vacuum_at_a_time;
    std::int64_t before = INT64_MAX;
    for (auto left = in_->number(free_pages); left && *left != 0 && *left < before; left = in_->number(free_pages)) {
        if (in_->run(("PRAGMA incremental_vacuum(" + std::to_string(at_a_time) + ')').c_str())) {
            before = *left;
        } else {
            in_->roll_back();
            if (!in_->is_out_of_room() || at_a_time == 1) break;
            at_a_time /= 4;
        }
        (void)in_->run(empty_journal);
    }
    (void)in_->run("PRAGMA wal_checkpoint(TRUNCATE)");
}

result<void> letter_archive::remove(std::span<const std::int64_t> ids) {
    if (!in_->run("BEGIN IMMEDIATE")) return undo();
    {
        statement erase{*in_, "DELETE FROM letters WHERE id = ?1"};
        for (const std::int64_t id : ids)
            if (!erase.bind(1, id).run()) return undo();
    }
    if (!in_->run("COMMIT")) return undo();
    return {};
}

result<void> letter_archive::add_attempts(std::span<const attempt> failed) {
    constexpr std::size_t longest_error = 16384;
    if (!in_->run("BEGIN IMMEDIATE")) return undo();
    {
        statement update{*in_,
                         "UPDATE letters SET attempts = attempts + 1, last_at = max(last_at, ?2),"
                         " error = CASE WHEN length(?3) > 0 THEN ?3 ELSE error END WHERE id = ?1"};
        for (const attempt& one : failed) {
            const std::string error = storable_text(one.error, longest_error);
            if (!update.bind(1, one.id).bind(2, static_cast<std::int64_t>(one.at)).bind_text(3, error).run()) return undo();
        }
    }
    if (!in_->run("COMMIT")) return undo();
    return {};
}

}  // namespace mqb::state
