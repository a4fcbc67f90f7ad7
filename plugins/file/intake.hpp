// Intake: takes records out of what was read and puts them into a batch as messages; one kind for each group of formats.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <mqb/sdk/batch.hpp>

#include "config.hpp"
#include "line_splitter.hpp"

namespace mqb::file {

// One file from its beginning; one thread at a time.
class intake {
public:
    virtual ~intake() = default;

    // The messages that follow go into this batch and lane. `ends`: where the end of each of their records in `unread` is put.
    virtual void begin(sdk::batch&, std::uint64_t lane, std::vector<std::uint64_t>* ends) {
        lane_ = lane;
        ends_ = ends;
    }

    // The next record is not the first of the file, which begins with these bytes. False: they are not enough to tell how to read it.
    virtual bool resume(std::string_view) { return true; }

    // Whether a record can be told from what the file begins with: a CSV header.
    virtual bool knows_columns() const { return true; }

    // After wrong_type: what is wrong with the record, for people.
    virtual std::string why_wrong() const { return {}; }

    // Takes records until the batch is full (found::record), or tells what else stopped it. `begin` and `taken` of the answer are
    // offsets into all of `unread`, which has chunk_padding readable bytes behind it.
    virtual look take(std::string_view unread, bool at_end, sdk::batch& to, const sdk::receive_call& call) = 0;

    // What an operator should hear, each once for a file.
    std::vector<std::string> take_warnings() { return std::exchange(warnings_, {}); }

protected:
    bool is_new(unsigned what) noexcept { return (warned_ & what) == 0; }
    void warn_once(unsigned what, std::string text);

    std::uint64_t lane_ = 0;
    std::vector<std::uint64_t>* ends_ = nullptr;

private:
    unsigned warned_ = 0;
    std::vector<std::string> warnings_;
};

std::unique_ptr<intake> make_intake(const config&);

}  // namespace mqb::file
