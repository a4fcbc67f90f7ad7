// Publisher: the producer of a spool. Each message becomes a chunk.
#pragma once

#include <cstdint>
#include <string>

#include <mqb/sdk/blocking_publisher.hpp>
#include <mqb/sdk/promises.hpp>

#include "chunk_files.hpp"
#include "chunk_writer.hpp"
#include "claim.hpp"
#include "config.hpp"
#include "naming.hpp"
#include "spool_directory.hpp"

namespace mqb::dir_spool {

// Everything but the constructor runs on the thread of the instance. Nothing is held between sends.
class publisher : public sdk::blocking_publisher {
public:
    publisher(const sdk::context& made, config chosen);
    static sdk::promises promise(const config& chosen);

    void connect();
    sdk::status send(sdk::send_call& call);
    sdk::status control(sdk::control_call& call);
    void disconnect();

private:
    struct progress {
        std::uint32_t written = 0;  // messages that are chunks
        int error = 0;              // why the next one is not
    };
    void find_sequence();
    int remove_marker();
    std::string cannot_remove_marker(int error) const;
    progress write(const sdk::send_call& call);
    int write_group(const sdk::send_call& call, std::uint32_t& written);
    int stage(const mqb_message& message);
    sdk::status fail(const sdk::send_call& call, const progress& until);
    void write_marker();
    bool is_synced() const noexcept { return config_.fsync == fsync_mode::chunk; }

    config config_;
    spool_directory spool_;
    chunk_files files_;
    naming naming_;
    claim claim_;
    chunk_writer writer_;
    std::string sidecar_;      // of the message that is being written
    std::uint64_t next_ = 0;   // sequence
    bool is_used_up_ = false;  // there is no number behind the last one
    bool is_shared_ = false;   // another producer has been seen
    bool is_open_ = false;
    bool is_marker_gone_ = false;  // since the last connect
    bool has_begun_ = false;       // something was sent
    bool is_complete_ = false;     // the route has come to the end of its input
    bool warned_of_order_ = false;
};

}  // namespace mqb::dir_spool
