// Matched files: all files that match a pattern, in the order of their names, each to its end, and then what comes to one of them or
// as a new one. A file is known by device, inode and birth: one that is renamed is not read twice.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "file_order.hpp"
#include "place_table.hpp"

namespace mqb::file {

class matched_files : public file_order {
public:
    matched_files(const config& chosen, sdk::host_ref host, bool drains);

    bool open() override;
    bool is_open() const noexcept override { return !files_.empty(); }
    read_file& current() noexcept override { return *files_[reading_]; }
    sight look(std::uint64_t unread) override;
    void proceed() override;
    bool keeps_place() const noexcept override { return table_.has_value(); }
    void settle(std::uint64_t number, std::uint64_t end, std::uint32_t messages) override;
    void rewind() override;
    std::uint64_t behind(std::uint64_t place) override;

private:
    using file = std::unique_ptr<read_file>;

    // What is known of a file that is not open.
    struct known {
        std::string path;
        saved_place print;                           // up to where it was read
        std::uint64_t read_size = 0;                 // and its size then
        std::int64_t changed = 0, read_changed = 0;  // its last change, now and then
        bool is_new = true;                          // it was not opened yet
        bool is_there = false;
        std::uint64_t first_size = 0;  // at the first list
        std::uint64_t born = 0;
    };

    void list();
    void begin_at_ends();
    saved_place go_to_end(input_file& bytes, std::uint64_t first_size) const;
    void set_begun();
    file open_next();
    bool find_start(known& of, input_file& bytes);
    // It is read from its beginning, as another one.
    void set_lost(read_file& cut);
    void leave_settled() noexcept;
    bool is_ahead(const file_identity& of) const;
    bool is_new_path(const std::string& path);
    bool is_in_files(const file_identity& of) const;
    bool begins_at_end() const;

    const config& config_;
    sdk::host_ref host_;
    bool drains_, is_packed_;
    std::optional<place_table> table_;
    std::map<file_identity, known> all_;
    std::deque<file_identity> next_;  // those with something to read, in order; of one pass
    std::deque<file> files_;
    std::size_t reading_ = 0;
    std::uint64_t last_number_ = 0;
    std::unordered_set<std::uint64_t> read_paths_;  // their checksums
    std::uint64_t left_at_ = 0;                     // where reading of the current file would end now
    std::uint64_t listed_ = 0, pause_ = 0;
    bool has_listed_ = false;
    bool is_new_group_ = false;
};

}  // namespace mqb::file
