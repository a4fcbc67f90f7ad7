#include "host/state/letter_tables.hpp"

#include "host/state/file_fault.hpp"

#include <fcntl.h>
#include <unistd.h>

namespace mqb::state {

namespace {

using core::failure;
using core::result;

constexpr std::int64_t program = 0x6d716264;  // "mqbd", SQLite's application_id

// Before the first table; they stay with the file.
constexpr const char* settings_of_file = "PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL";

// FULL: a commit is on the disk when it answers, also after a loss of power. FAST: to overwrite what is purged would take as much room in
// the journal, and a purge has to work where there is none.
constexpr const char* settings_of_connection =
    "PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 16777216; PRAGMA secure_delete = FAST";

// id: AUTOINCREMENT, so that a purged number never names another letter. taken: what the letter counts against max_bytes.
// payload NULL: a null payload. totals: kept by triggers, so that whoever deletes need not know.
constexpr const char* tables = R"(
CREATE TABLE letters (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  route TEXT NOT NULL,
  endpoint TEXT NOT NULL,
  class TEXT NOT NULL,
  error TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  may_have_arrived INTEGER NOT NULL,
  source TEXT NOT NULL,
  size INTEGER NOT NULL,
  taken INTEGER NOT NULL,
  message_id BLOB NOT NULL,
  lane INTEGER NOT NULL,
  delivery_count INTEGER NOT NULL,
  metadata BLOB NOT NULL,
  payload BLOB
);
CREATE INDEX letters_of_route ON letters (route, id);
CREATE TABLE totals (route TEXT PRIMARY KEY, letters INTEGER NOT NULL, taken INTEGER NOT NULL) WITHOUT ROWID;
CREATE TRIGGER letter_stored AFTER INSERT ON letters BEGIN
  INSERT INTO totals VALUES (new.route, 1, new.taken)
    ON CONFLICT (route) DO UPDATE SET letters = letters + 1, taken = taken + new.taken;
END;
CREATE TRIGGER letter_removed AFTER DELETE ON letters BEGIN
  UPDATE totals SET letters = letters - 1, taken = taken - old.taken WHERE route = old.route;
  DELETE FROM totals WHERE route = old.route AND letters = 0;
END;
)";

result<void> check_version(database& in) {
    // In this order: another process may be making the tables, and marks them as its own in the same transaction.
    const auto things = in.number("SELECT count(*) FROM sqlite_schema");
    const auto owner = in.number("PRAGMA application_id");
    const auto version = in.number("PRAGMA user_version");
    if (!version || !owner || !things) return in.fault();
    const auto other = [&](const std::string& text) { return failure{core::status::bad_config, in.file().string() + ": " + text}; };
    if (*owner != program && (*owner != 0 || *things != 0))
        return other("is a database of another program: move it away and a new one is made");
    if (*version > letters_version)
        return other("was written by a later mqbridge: it has version " + std::to_string(*version) + ", and this program knows version " +
                     std::to_string(letters_version));
    if (*owner == program && *version != letters_version)
        return other("has version " + std::to_string(*version) + ", and this program knows version " + std::to_string(letters_version));
    return {};
}

// Whoever comes second waits and finds the tables there.
result<void> make_tables(database& in) {
    if (!in.run(settings_of_file) || !in.run("BEGIN IMMEDIATE")) return in.fault();
    const auto owner = in.number("PRAGMA application_id");
    const std::string mark =
        "PRAGMA application_id = " + std::to_string(program) + "; PRAGMA user_version = " + std::to_string(letters_version);
    const bool is_made = owner && (*owner == program || (in.run(tables) && in.run(mark.c_str()))) && in.run("COMMIT");
    if (is_made) return {};
    const failure why = in.fault();
    in.roll_back();
    return why;
}

}  // namespace

result<std::unique_ptr<database>> open_letters(const std::filesystem::path& file, std::chrono::milliseconds patience) {
    auto opened = database::open(file, patience);
    if (!opened) return opened;
    database& in = **opened;
    if (auto checked = check_version(in); !checked) return checked.error();
    const auto owner = in.number("PRAGMA application_id");
    if (!owner || !in.run(settings_of_connection)) return in.fault();
    if (*owner != program)
        if (auto made = make_tables(in); !made) return made.error();
    return opened;
}

// Only a file that is not there is opened here: closing any descriptor of a database takes SQLite's locks on it away.
result<std::unique_ptr<database>> make_letters(const std::filesystem::path& file, std::chrono::milliseconds patience) {
    const int fd = ::open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0 && errno != EEXIST) {
        failure why = file_fault(file, "cannot be made");
        why.what = core::status::retry;
        return why;
    }
    if (fd >= 0) {
        ::close(fd);
        const int folder = ::open(file.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        const bool is_kept = folder >= 0 && ::fsync(folder) == 0;  // the name of the file survives a loss of power
        const int error = errno;
        if (folder >= 0) ::close(folder);
        if (!is_kept) return file_fault(file, "cannot be made", error);
    }
    return open_letters(file, patience);
}

}  // namespace mqb::state
