// Followed path: the files that have one path, one after the other. A file that is renamed is read to its end before the one that
// has its name then; one that is cut in place is read again from its beginning. Keeps the position of a group over all that.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <mqb/sdk/host.hpp>

#include "file_order.hpp"
#include "group_position.hpp"
#include "rotation.hpp"

namespace mqb::file {

class followed_path : public file_order {
public:
    followed_path(const config& chosen, sdk::host_ref host, bool drains);
    followed_path(const followed_path&) = delete;
    followed_path& operator=(const followed_path&) = delete;
    ~followed_path() override;

    bool open() override;
    bool is_open() const noexcept override { return !files_.empty(); }
    read_file& current() noexcept override { return *files_[reading_]; }
    sight look(std::uint64_t unread) override;
    void proceed() override;
    bool has_earlier() override;
    void remember() override;
    bool keeps_place() const noexcept override { return place_.has_value() || config_.remove; }
    void settle(std::uint64_t number, std::uint64_t end, std::uint32_t messages) override;
    void rewind() override;
    std::uint64_t behind(std::uint64_t place) override;

private:
    using file = std::unique_ptr<read_file>;
    static constexpr std::size_t most_ahead = 64;  // so many files are opened at once beyond the one that is read

    file make(std::string path) { return std::make_unique<read_file>(std::move(path), ++last_number_); }
    void look_beside();
    file make_first();
    void open_first(read_file& first);
    void open_saved();
    void open_unsaved();
    bool open_after(const group_position::identity& last);
    bool open_after(std::int64_t changed, const group_position* place);
    void begin_without_file();
    group_position::start go_to_saved(input_file& of);
    file find_moved(group_position::start& found);
    std::vector<rotated_file> before_current();
    file try_each(const std::function<file(const std::vector<rotated_file>&, bool&)>& find);
    // Opens it if it is still the file that was seen under this name.
    file open_seen(const rotated_file& seen);
    bool open_all(const std::vector<rotated_file>& seen, std::deque<file>& to);
    rotations since(std::uint64_t device, std::uint64_t inode) const;
    void follow_after(const input_file& read);
    bool follow_copy(std::uint64_t unread);
    void add_at_path();
    void leave_settled() noexcept;
    void go_over() noexcept;
    void share_front(read_file& of);
    void delete_settled(read_file& of, shared_front::when how_eagerly);
    bool adopt_cut(read_file& of);
    bool follow_front(read_file& of);
    bool take_over_late_bytes(read_file& of) const;
    std::uint64_t header_size(int opened) const;
    bool is_quiet(const input_file& read);
    void watch_late(const input_file& left);
    void warn_of_late_bytes();
    void warn_of_gap(const input_file& read) const;
    template <class... Parts>
    void warn(const Parts&... parts) const {
        host_.warning("file source '", config_.path, "' ", parts...);
    }

    const config& config_;
    sdk::host_ref host_;
    bool drains_;
    std::optional<group_position> place_;
    std::deque<file> files_;  // those that are not settled, the one that is read, and those that follow, oldest first
    std::size_t reading_ = 0;
    std::uint64_t last_number_ = 0;
    std::optional<std::pair<std::uint64_t, std::uint64_t>> left_;  // device and inode of the file before the one that is read
    std::uint64_t quiet_size_ = 0, quiet_since_ = 0;               // of a file that was renamed, when something is in the next one
    std::unique_ptr<input_file> late_;                             // the one before, as it was left
    std::uint64_t listed_ = 0;                                     // when the folder was looked at last
    bool told_removed_ = false;
    std::string told_unreadable_;         // the last path that was told
    bool was_read_ = false;               // not only opened
    bool was_missing_ = false;            // at the first look
    std::optional<std::int64_t> beside_;  // before that: the last change of what stood beside the path
    std::uint64_t next_cut_ = 0;          // when a file is cut again at the earliest, if that is not for its size
    std::uint64_t no_cut_before_ = 0;
};

}  // namespace mqb::file
