// database: one connection to a SQLite file, its statements, and what went wrong in words for people.
#pragma once

#include "core/result.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace mqb::state {

// Not thread-safe: one thread at a time.
class database {
public:
    // Opens a file that exists; waits so long for another connection that writes.
    [[nodiscard]] static core::result<std::unique_ptr<database>> open(const std::filesystem::path& file,
                                                                      std::chrono::milliseconds patience);
    ~database();
    database(const database&) = delete;
    database& operator=(const database&) = delete;

    // Whether every page and index is sound; reads the whole file.
    [[nodiscard]] core::result<void> check();
    // Statements without an answer, separated by semicolons.
    [[nodiscard]] bool run(const char* sql);
    // The first column of the first row as a number, 0 if there is none; empty: a fault.
    [[nodiscard]] std::optional<std::int64_t> number(std::string_view sql);
    // Ends a transaction that a fault has left open.
    void roll_back() noexcept;
    [[nodiscard]] std::int64_t changes() const noexcept;
    // In a transaction, before it is committed: takes room on the disk for all pages of the file, so that the journal can always be
    // brought into it, however full the disk is by then.
    [[nodiscard]] bool reserve();
    // The file was deleted or another one put in its place: what is written now is lost.
    [[nodiscard]] bool is_gone() const noexcept;
    // The last fault was that the file system had no room.
    [[nodiscard]] bool is_out_of_room() const noexcept;
    // The last fault: "FILE: the file system is full".
    [[nodiscard]] core::failure fault() const;
    [[nodiscard]] const std::filesystem::path& file() const noexcept { return file_; }

private:
    friend class statement;
    explicit database(std::filesystem::path file) : file_(std::move(file)) {}
    void note(int code) noexcept;

    std::filesystem::path file_;
    sqlite3* handle_ = nullptr;
    int code_ = 0;  // of the last fault
    int system_error_ = 0;
    std::string text_;
};

// One prepared statement. Columns are counted from 0, parameters from 1. A fault is noted in the database; every later step of
// the statement is a fault too.
class statement {
public:
    enum class step { row, done, fault };

    statement(database& in, std::string_view sql);
    ~statement();
    statement(const statement&) = delete;
    statement& operator=(const statement&) = delete;

    // Texts and bytes are borrowed until the next reset.
    statement& bind(int at, std::int64_t value);
    statement& bind_text(int at, std::string_view value);
    statement& bind_bytes(int at, std::string_view value);  // data null: NULL
    [[nodiscard]] step next();
    // Runs a statement without rows and makes it ready for the next parameters.
    [[nodiscard]] bool run();
    void reset() noexcept;

    [[nodiscard]] bool is_null(int at) const noexcept;
    [[nodiscard]] std::int64_t number(int at) const noexcept;
    [[nodiscard]] std::string_view bytes(int at) const noexcept;  // until the next step

private:
    void check(int code) noexcept;

    database& in_;
    sqlite3_stmt* handle_ = nullptr;
    int bad_ = 0;  // a bind that failed
};

}  // namespace mqb::state
