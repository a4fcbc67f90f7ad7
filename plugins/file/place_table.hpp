// Place table: how far a group has read each of many files. A journal, .<group>.offsets in their folder: one line for each place that
// was saved, the last one of a file counts; written anew when most of its lines are out of date.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "held_file.hpp"
#include "input_file.hpp"

namespace mqb::file {

using file_identity = std::pair<std::uint64_t, std::uint64_t>;  // device and inode

// A place in a file, and what stands before it.
struct saved_place {
    std::uint64_t place = 0;
    std::uint64_t head_size = 0, head = 0;  // the first bytes
    std::uint64_t tail_size = 0, tail = 0;  // the last ones before the place
    std::string path;
    std::uint64_t born = 0;  // when the file was made, ns since 1970; 0: that is not known
};

saved_place print_of(const input_file& file, std::uint64_t place);
bool is_in(const saved_place& place, const input_file& file);
// It may be the file itself, as far as it was made then.
bool is_as_old(const saved_place& place, const input_file& file);

// One thread at a time. Failures are thrown as sdk::failure.
class place_table {
public:
    explicit place_table(const std::string& file);
    place_table(const place_table&) = delete;
    place_table& operator=(const place_table&) = delete;
    ~place_table();

    // Keeps other readers of the group away and reads what is there. Not empty: what is damaged.
    std::string open();
    // Of this file, if it still has what was read of it. `is_other`: it is known, and is not what was read.
    std::optional<saved_place> place_of(const input_file& file, bool& is_other) const;
    // Of these paths, in order, one whose file is gone may name a copy of it: place_of() then finds its place by the path, too.
    // `path_of`: where the file of a place is now; empty: it is gone.
    using finder = std::function<std::string(const file_identity&, const saved_place&)>;
    void expect_copies(const std::vector<std::string>& paths, const finder& path_of);
    std::size_t size() const noexcept { return places_.size(); }
    // Whether the group was there before: something was saved, be it only that it had begun.
    bool has_begun() const noexcept { return has_begun_; }
    void set_begun();
    // The same, and these places with it: after a kill all of that is there, or nothing.
    void begin_with(std::vector<std::pair<file_identity, saved_place>> places);

    // False: the file does not have these bytes any more, and nothing was written.
    bool save(const input_file& file, std::uint64_t place);
    // The same for a file that begins there, if no place of it is known yet: of that whose copy it is none is known any more.
    bool take_over(const input_file& file, std::uint64_t place);
    // Files that are not there any more.
    void keep_only(const std::vector<file_identity>& there);

private:
    void forget(const file_identity& of);
    void append(const file_identity& of, const saved_place& place);
    void write_anew();

    std::string path_;
    held_file lock_;
    int journal_ = -1;
    bool has_begun_ = false;
    std::uint64_t lines_ = 0;
    std::uint64_t size_ = 0;  // of all whole lines
    std::map<file_identity, saved_place> places_;
    std::map<std::string, std::pair<file_identity, saved_place>> copies_;  // by path: what was read of the file that is gone
};

}  // namespace mqb::file
