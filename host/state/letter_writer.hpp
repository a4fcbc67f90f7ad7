// letter_writer: puts dead letters into the database on a thread of its own; what several routes bury at the same time shares one
// transaction, and so one wait for the disk.
#pragma once

#include "core/dead_letters.hpp"
#include "core/mailbox.hpp"
#include "host/state/database.hpp"
#include "host/state/letter_limits.hpp"
#include "host/state/task_thread.hpp"

#include <filesystem>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace mqb::state {

// One call on its way through the writer. Comes back through the mailbox with its answer.
struct burial : core::mail {
    core::bury_call* call = nullptr;
    core::mailbox* box = nullptr;
    const std::string* route = nullptr;
    std::uint64_t max_bytes = 0;  // 0: no limit
    core::status answer = core::status::retry;
    std::string text;      // why it is not ok
    bool is_near = false;  // with these letters the route has used four fifths of its bound
};

// Thread-safe.
class letter_writer {
public:
    // Fails where the database cannot be used.
    [[nodiscard]] static core::result<std::unique_ptr<letter_writer>> open(std::filesystem::path file, letter_limits limits);

    // The burial and its call stay in place until it comes back.
    void submit(burial& one);
    // True: it was not begun, and does not come back by itself.
    [[nodiscard]] bool withdraw(burial& one);

private:
    letter_writer(std::filesystem::path file, letter_limits limits, std::unique_ptr<database> in)
        : file_(std::move(file)), limits_(std::move(limits)), in_(std::move(in)) {}

    // On the writer's thread.
    void write_waiting();
    [[nodiscard]] core::result<void> write(std::span<burial* const> all);
    [[nodiscard]] bool write_transaction(std::span<burial* const> all);
    // Bytes that letters may take.
    struct room {
        std::uint64_t on_disk = UINT64_MAX;      // of the file system
        std::uint64_t beyond_kept = UINT64_MAX;  // of these, what has not to stay free
        std::uint64_t in_file = 0;               // free pages of the database
    };
    [[nodiscard]] std::string fault_in_room(burial& one, std::uint64_t taken, room& left) const;
    [[nodiscard]] room find_room();
    [[nodiscard]] bool store(const core::dead_letter& one, const std::string& route, statement& insert) const;

    std::filesystem::path file_;
    letter_limits limits_;
    std::unique_ptr<database> in_;  // null after a fault that a new connection may heal
    std::mutex mutex_;
    std::vector<burial*> waiting_;
    task_thread thread_;  // the last member: it ends before what it uses
};

}  // namespace mqb::state
