// sqlite_dead_letters: the host's store of dead letters, in a SQLite database.
#pragma once

#include "core/dead_letters.hpp"
#include "core/result.hpp"
#include "host/state/letter_limits.hpp"

#include <filesystem>
#include <memory>
#include <string>

namespace mqb::state {

class letter_writer;

// A letter is on the disk (synced) before bury answers ok. A bound that is reached, a file system that is full or read-only and a
// damaged database answer retry, with a text that says what to do; they are tried anew with each call. The stores that it opens
// are used no longer than it lives.
class sqlite_dead_letters final : public core::dead_letter_stores {
public:
    // `file`: state_directory::letters_file(). Fails where it cannot be used: a route would learn so only with its first dead letter.
    [[nodiscard]] static core::result<std::unique_ptr<sqlite_dead_letters>> open(const std::filesystem::path& file,
                                                                                 letter_limits limits = {});
    ~sqlite_dead_letters() override;
    std::unique_ptr<core::dead_letter_store> open(const std::string& route, std::uint64_t max_bytes, core::mailbox& box,
                                                  core::logger& log) override;

private:
    explicit sqlite_dead_letters(std::unique_ptr<letter_writer> writer);

    std::unique_ptr<letter_writer> writer_;
};

}  // namespace mqb::state
