// File order: which files an input reads, one after the other, and what it keeps of them: the files that have one path, or all those
// that match a pattern.
#pragma once

#include <cstdint>
#include <memory>

#include <mqb/sdk/host.hpp>

#include "config.hpp"
#include "read_file.hpp"

namespace mqb::file {

// One thread at a time. Failures are thrown as sdk::failure.
class file_order {
public:
    virtual ~file_order() = default;

    // The first time true: current() is to be read from its position on. Later, after a failure, it goes on as it was.
    virtual bool open() = 0;
    virtual bool is_open() const noexcept = 0;
    // The file that is read now. Only when it is open.
    virtual read_file& current() noexcept = 0;

    // For when nothing came of the current file.
    enum class sight {
        nothing,
        again,  // something has come by now
        ended,  // nothing will come any more: the last record needs no delimiter, and proceed() goes on to the next file
        moved,  // the next file comes first: what is unread is read later, from its beginning, there or here
        full,   // the next file has to wait until one before is settled
    };
    virtual sight look(std::uint64_t unread) = 0;
    virtual void proceed() = 0;
    // For when the first bytes of a file were read: whether others come before it after all. Then current() is the first of them.
    virtual bool has_earlier() { return false; }
    // Before records of what was read are given: what the next start has to know of it is kept. Throws when that cannot be done now.
    virtual void remember() {}

    // What was given comes again if it is freed unsettled.
    virtual bool keeps_place() const noexcept = 0;
    void gave(std::uint32_t messages) noexcept { current().unsettled += messages; }
    // All before this place of this file is dealt with, `messages` more than before.
    virtual void settle(std::uint64_t number, std::uint64_t end, std::uint32_t messages) = 0;
    // Reading goes on behind what is settled: current() is to be read from its position on.
    virtual void rewind() = 0;
    // The bytes from there to the end of what there is to read.
    virtual std::uint64_t behind(std::uint64_t place) = 0;
};

// The configuration outlives it.
std::unique_ptr<file_order> make_file_order(const config& chosen, sdk::host_ref host, bool drains);

}  // namespace mqb::file
