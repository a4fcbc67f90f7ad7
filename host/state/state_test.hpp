// state_test: scratch folders, child processes and a route's side for the tests of this room.
#pragma once

#include "core/dead_letters.hpp"
#include "core/mailbox.hpp"
#include "host/state/letter_archive.hpp"

#include <doctest/doctest.h>

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/io_context.hpp>

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mqb::state {

class scratch_folder {
public:
    scratch_folder();
    ~scratch_folder();
    scratch_folder(const scratch_folder&) = delete;
    scratch_folder& operator=(const scratch_folder&) = delete;
    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

private:
    std::filesystem::path path_;
};

// A process of its own, forked while this one has a single thread.
class child_process {
public:
    // `work` writes to the descriptor it is given; its answer is the exit code.
    explicit child_process(const std::function<int(int)>& work);
    ~child_process();
    child_process(const child_process&) = delete;
    child_process& operator=(const child_process&) = delete;
    [[nodiscard]] int id() const noexcept { return id_; }
    // Blocks until there is a whole line; empty: its end.
    [[nodiscard]] std::string line();
    // All that is left.
    [[nodiscard]] std::string rest();
    void kill() noexcept;
    // The exit code; -N: killed by signal N.
    int end();

private:
    int id_ = -1;
    int from_ = -1;
    int result_ = 0;
    std::string read_;
};

// Says in a child what `work` answers, as the user nobody where this process is root: for what root is never refused.
[[nodiscard]] std::string as_nobody(const std::filesystem::path& in, const std::function<std::string()>& work);
// Says in a child what `work` answers with a file system of so many bytes at `in`; empty where the system allows none.
[[nodiscard]] std::string with_small_disk(const std::filesystem::path& in, std::uint64_t bytes, const std::function<std::string()>& work);
// The same file system, from now on read-only; in `work`.
[[nodiscard]] bool make_read_only(const std::filesystem::path& in);

struct silent_log final : core::logger {
    [[nodiscard]] core::log_level lowest() const noexcept override { return core::log_level::warning; }
    void write(core::log_level, std::string_view route, std::string_view, std::string_view text) noexcept override {
        lines.push_back(std::string{route} + ": " + std::string{text});
    }
    std::vector<std::string> lines;
};

// One that stays for ever: the thread that put a mail may still be inside its post when the mail has been delivered.
[[nodiscard]] boost::asio::io_context& kept_context();

// Waits for the mails of one route.
struct route_side {
    template <class Holds>
    void wait_until(Holds holds) {
        while (!holds()) {
            context.restart();
            box.async_wait(boost::asio::bind_executor(context, [] {}));
            context.run();
            box.deliver_all();
        }
    }
    boost::asio::io_context& context = kept_context();
    core::mailbox box;
    silent_log log;
};

// A call and its answer.
template <class Call>
struct answered : Call {
    answered() {
        this->done = [](core::call& c, core::status given) noexcept {
            static_cast<answered&>(c).answer = given;
            ++static_cast<answered&>(c).answers;
        };
    }
    core::status wait(core::status started, route_side& side) {
        if (started != core::status::pending) return started;
        side.wait_until([this] { return answers == 1; });
        return answer;
    }
    core::status answer = core::status::pending;
    int answers = 0;
};

[[nodiscard]] core::buffer bytes_of(std::string_view text);

// Letters that differ in their numbers: payload "payload N", lane N, error "refused N", first_at 1000 + N, last_at 2000 + N.
struct test_letters {
    test_letters(std::uint64_t first, std::uint64_t count);
    std::vector<std::string> payloads;
    std::vector<core::message> messages;
    std::vector<core::failure_note> notes;
    std::vector<core::dead_letter> letters;
};

// Buries and waits; the text of what is not ok stands in `text`.
core::status bury(core::dead_letter_store& to, route_side& side, std::span<const core::dead_letter> letters, std::string* text = nullptr);

// All that the store holds, by an archive of its own.
[[nodiscard]] std::vector<letter> stored(const std::filesystem::path& file, const letter_filter& filter = {});

}  // namespace mqb::state
