// letter_archive: reads and removes dead letters, beside the host that writes them or without one.
#pragma once

#include "host/state/database.hpp"
#include "host/state/letter.hpp"

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace mqb::state {

// Not thread-safe. Every call is a transaction of its own, and short: a host that writes meanwhile is not held up.
class letter_archive {
public:
    // Of a file that exists.
    [[nodiscard]] static core::result<letter_archive> open(const std::filesystem::path& file);

    // The letters that the filter names, with ids above `after`, in the order of their ids, at most `most`. For all of them: again with
    // the last id, until the answer is empty. The filter's own limit is the caller's to count.
    [[nodiscard]] core::result<std::vector<letter>> list(const letter_filter& filter, std::int64_t after, std::uint32_t most);
    // Empty: there is none with this id any more.
    [[nodiscard]] core::result<std::optional<letter>> find(std::int64_t id);
    [[nodiscard]] core::result<std::optional<letter_content>> content(std::int64_t id);
    // The id of the last letter; 0: there is none.
    [[nodiscard]] core::result<std::int64_t> last_id();
    // Removes what the filter names, up to its limit; the number of letters. It goes in small steps, so that it needs little room on the
    // disk, and gives back the room that it has won. After a fault some may be gone; then its text says how many.
    [[nodiscard]] core::result<std::uint64_t> purge(const letter_filter& filter);
    // Removes these for good; durable when it answers. Ids that are not there any more are no fault.
    [[nodiscard]] core::result<void> remove(std::span<const std::int64_t> ids);

    // Another attempt at a letter has failed.
    struct attempt {
        std::int64_t id = 0;
        std::string error;     // empty: that of the letter stays
        std::uint64_t at = 0;  // ns since 1970
    };
    [[nodiscard]] core::result<void> add_attempts(std::span<const attempt> failed);

private:
    explicit letter_archive(std::unique_ptr<database> in) : in_(std::move(in)) {}
    [[nodiscard]] core::failure undo();
    void give_back();

    std::unique_ptr<database> in_;
};

}  // namespace mqb::state
