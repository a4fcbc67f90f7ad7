// Consumer: reads the chunks of a spool in the order of their paths, and deletes what is acknowledged.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <mqb/sdk/batch_pool.hpp>
#include <mqb/sdk/blocking_consumer.hpp>
#include <mqb/sdk/promises.hpp>

#include "backlog.hpp"
#include "chunk_files.hpp"
#include "chunk_reader.hpp"
#include "claim.hpp"
#include "config.hpp"
#include "naming.hpp"
#include "spool_directory.hpp"

namespace mqb::dir_spool {

// Everything but the constructor and wake runs on the thread of the instance.
class consumer : public sdk::blocking_consumer {
public:
    consumer(const sdk::context& made, config chosen);
    static sdk::promises promise(const config& chosen);

    void connect();
    sdk::status receive(sdk::receive_call& call, std::chrono::milliseconds slice);
    void settle(sdk::settle_call& call);
    void free_batch(void* batch);
    sdk::status control(sdk::control_call& call);
    void disconnect();
    void wake() noexcept;

private:
    using clock = backlog::clock;
    // A message that was given: its chunk, and whether that may be deleted.
    struct given_chunk {
        std::string payload;
        sdk::message_id made_id;  // what tells it from a chunk that has its name later
        bool is_whole = true;
        bool is_settled = false;
        bool is_removed = false;
    };
    struct given {
        std::uint64_t spool = 0;
        std::vector<given_chunk> chunks;
        void clear() { chunks.clear(); }
    };

    bool look(bool drains);
    bool is_new(std::string_view payload);
    void fill(sdk::receive_call& call, sdk::open_batch<given>& batch);
    bool add(const sdk::receive_call& call, sdk::open_batch<given>& batch, const std::string& payload);
    void wait(std::chrono::milliseconds slice);
    int remove(const given_chunk& chunk);
    void sync_after(const sdk::settle_call& call, const std::vector<std::string>& directories);
    sdk::failure unreadable(std::string_view what, int error) const;

    config config_;
    bool drains_;
    spool_directory spool_;
    chunk_files files_;
    shards shards_;
    chunk_reader reader_;
    claim claim_;
    backlog backlog_;
    sdk::batch_pool<given> batches_;
    std::uint64_t number_of_spool_ = 0;  // another one when the path became another directory
    clock::time_point next_look_{};
    std::string listed_until_;  // where nothing is deleted and there was more than fits into a listing: the next one goes on behind it
    std::optional<sdk::failure> failed_;  // to be told when what was read before it has been given
    bool warned_of_directories_ = false;

    std::mutex mutex_;
    std::condition_variable changed_;
    bool is_woken_ = false;
};

}  // namespace mqb::dir_spool
