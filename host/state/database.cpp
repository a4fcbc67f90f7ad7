#include "host/state/database.hpp"

#include <sqlite3.h>
#include <sys/statvfs.h>

#include <cerrno>
#include <system_error>

namespace mqb::state {

namespace {

// Damage shows at the first touch of a page; what follows keeps the file for whoever wants to save something of it.
constexpr const char* corrupt =
    "is damaged or no database: move it away and a new one is made; `sqlite3 FILE .recover` shows what can be saved";
constexpr const char* read_only_disk = "cannot be written: the file system is read-only";

// SQLite says "no such file" of the journal that it could not make there.
bool is_on_read_only_disk(const std::filesystem::path& file) {
    struct statvfs found {};
    return ::statvfs(file.c_str(), &found) == 0 && (found.f_flag & ST_RDONLY) != 0;
}

std::string words(const std::filesystem::path& file, int code, int system_error, const std::string& library_text) {
    const std::string system = system_error != 0 ? std::generic_category().message(system_error) : library_text;
    switch (code & 0xff) {
        case SQLITE_CORRUPT:
        case SQLITE_NOTADB: return corrupt;
        case SQLITE_FULL: return "the file system is full: make room there, or purge dead letters";
        case SQLITE_READONLY: return is_on_read_only_disk(file) ? read_only_disk : "cannot be written: it is read-only";
        case SQLITE_PERM:
        case SQLITE_CANTOPEN: return is_on_read_only_disk(file) ? read_only_disk : "cannot be opened: " + system;
        case SQLITE_BUSY:
        case SQLITE_LOCKED: return "another process writes to it and does not end";
        case SQLITE_IOERR: return "cannot be read or written: " + system;
        default: return library_text;
    }
}

}  // namespace

core::result<std::unique_ptr<database>> database::open(const std::filesystem::path& file, std::chrono::milliseconds patience) {
    std::unique_ptr<database> out{new database{file}};
    const int opened =
        ::sqlite3_open_v2(file.c_str(), &out->handle_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nullptr);
    if (!out->handle_) return core::failure{core::status::retry, file.string() + ": no memory"};
    if (opened != SQLITE_OK) {
        out->note(opened);
        return out->fault();
    }
    ::sqlite3_busy_timeout(out->handle_, static_cast<int>(patience.count()));
    return out;
}

core::result<void> database::check() {
    const auto wrong = number("SELECT count(*) FROM pragma_quick_check(1) WHERE quick_check <> 'ok'");
    if (!wrong) return fault();
    if (*wrong != 0) return core::failure{core::status::retry, file_.string() + ": " + corrupt};
    return {};
}

database::~database() { ::sqlite3_close_v2(handle_); }

void database::note(int code) noexcept {
    code_ = code;
    system_error_ = ::sqlite3_system_errno(handle_);
    const int primary = code & 0xff;
    if (primary != SQLITE_IOERR && primary != SQLITE_CANTOPEN && primary != SQLITE_PERM) system_error_ = 0;  // of an earlier call
    const char* text = ::sqlite3_errmsg(handle_);
    text_ = text ? text : "unknown";
}

core::failure database::fault() const { return {core::status::retry, file_.string() + ": " + words(file_, code_, system_error_, text_)}; }

bool database::is_out_of_room() const noexcept {
    return (code_ & 0xff) == SQLITE_FULL || system_error_ == ENOSPC || system_error_ == EDQUOT;
}

bool database::run(const char* sql) {
    const int code = ::sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) note(code);
    return code == SQLITE_OK;
}

std::optional<std::int64_t> database::number(std::string_view sql) {
    statement ask{*this, sql};
    switch (ask.next()) {
        case statement::step::row: return ask.number(0);
        case statement::step::done: return 0;
        case statement::step::fault: break;
    }
    return std::nullopt;
}

void database::roll_back() noexcept {
    if (::sqlite3_get_autocommit(handle_) == 0) ::sqlite3_exec(handle_, "ROLLBACK", nullptr, nullptr, nullptr);
}

bool database::reserve() {
    const auto pages = number("PRAGMA page_count");
    const auto page_size = number("PRAGMA page_size");
    if (!pages || !page_size) return false;
    int chunk = static_cast<int>(*page_size);  // without one the hint is no more than that
    sqlite3_int64 size = *pages * *page_size;
    (void)::sqlite3_file_control(handle_, "main", SQLITE_FCNTL_CHUNK_SIZE, &chunk);
    if (::sqlite3_file_control(handle_, "main", SQLITE_FCNTL_SIZE_HINT, &size) == SQLITE_OK) return true;
    note(SQLITE_FULL);
    return false;
}

std::int64_t database::changes() const noexcept { return ::sqlite3_changes64(handle_); }

bool database::is_gone() const noexcept {
    int moved = 0;
    return ::sqlite3_file_control(handle_, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK && moved != 0;
}

statement::statement(database& in, std::string_view sql) : in_(in) {
    const int code = ::sqlite3_prepare_v2(in_.handle_, sql.data(), static_cast<int>(sql.size()), &handle_, nullptr);
    if (code != SQLITE_OK) in_.note(code);
}

statement::~statement() { ::sqlite3_finalize(handle_); }

void statement::check(int code) noexcept {
    if (code == SQLITE_OK || bad_ != 0) return;
    bad_ = code;
    if (handle_) in_.note(code);
}

statement& statement::bind(int at, std::int64_t value) {
    check(::sqlite3_bind_int64(handle_, at, value));
    return *this;
}

statement& statement::bind_text(int at, std::string_view value) {
    check(::sqlite3_bind_text64(handle_, at, value.data() ? value.data() : "", value.size(), SQLITE_STATIC, SQLITE_UTF8));
    return *this;
}

statement& statement::bind_bytes(int at, std::string_view value) {
    check(value.data() ? ::sqlite3_bind_blob64(handle_, at, value.data(), value.size(), SQLITE_STATIC) : ::sqlite3_bind_null(handle_, at));
    return *this;
}

statement::step statement::next() {
    if (!handle_ || bad_ != 0) return step::fault;
    const int code = ::sqlite3_step(handle_);
    if (code == SQLITE_ROW) return step::row;
    if (code == SQLITE_DONE) return step::done;
    in_.note(code);
    return step::fault;
}

bool statement::run() {
    const bool is_done = next() != step::fault;
    reset();
    return is_done;
}

void statement::reset() noexcept {
    bad_ = 0;
    if (handle_) ::sqlite3_reset(handle_);
}

bool statement::is_null(int at) const noexcept { return ::sqlite3_column_type(handle_, at) == SQLITE_NULL; }

std::int64_t statement::number(int at) const noexcept { return ::sqlite3_column_int64(handle_, at); }

std::string_view statement::bytes(int at) const noexcept {
    const void* data = ::sqlite3_column_blob(handle_, at);
    return {data ? static_cast<const char*>(data) : "", static_cast<std::size_t>(::sqlite3_column_bytes(handle_, at))};
}

}  // namespace mqb::state
