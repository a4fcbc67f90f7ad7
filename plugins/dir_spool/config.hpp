// Config: what a route file may say of a directory spool.
#pragma once

#include <mqb/sdk/option.hpp>

namespace mqb::dir_spool {

enum class fsync_mode { off, chunk };
enum class done_mode { never, success, end };
enum class claim_mode { exclusive, warn, off };

struct config {
    std::string path, naming_pattern, payload_extension, metadata_extension, done_file, producer_file, consumer_file;
    std::uint32_t shard_depth = 0, shard_width = 3;
    bool atomic = true, drain_on_read = true, stop_on_done = false, source_metadata = false;
    fsync_mode fsync = fsync_mode::chunk;
    done_mode emit_done = done_mode::never;
    claim_mode claim = claim_mode::exclusive;
    std::uint64_t poll_interval_ms = 100, max_record_bytes = 0;

    static constexpr auto options() {
        return sdk::options(
            sdk::option("path", &config::path).required().not_empty().uri_path().doc("The directory; made if it is not there."),
            sdk::option("naming_pattern", &config::naming_pattern)
                .by_default("{seq:09}")
                .publisher_only()
                .uri_query()
                .doc("The name of a chunk: begins with `{seq}` or `{seq:0N}`, behind which no digit may stand; `{timestamp}` "
                     "(milliseconds) and `{message_id}` may follow."),
            sdk::option("shard_depth", &config::shard_depth)
                .by_default(0)
                .at_most(16)
                .uri_query()
                .doc("How many levels of directories are made of the first digits of the sequence. Both sides have to agree."),
            sdk::option("shard_width", &config::shard_width)
                .by_default(3)
                .at_least(1)
                .at_most(9)
                .uri_query()
                .doc("How many digits name one such directory. Both sides have to agree."),
            sdk::option("payload_extension", &config::payload_extension)
                .by_default("bin")
                .uri_query()
                .doc("What the name of a payload ends with; the dot may be left out."),
            sdk::option("metadata_extension", &config::metadata_extension)
                .by_default("json")
                .uri_query()
                .doc("What the name of a sidecar ends with; empty: there are none, and ids and metadata do not cross."),
            sdk::option("atomic", &config::atomic)
                .by_default(true)
                .publisher_only()
                .uri_query()
                .doc("A chunk gets its name when it is whole. Without it a reader may see a part of one."),
            sdk::option("fsync", &config::fsync)
                .by_default("chunk")
                .value("chunk", fsync_mode::chunk)
                .value("off", fsync_mode::off)
                .uri_query()
                .doc("`chunk`: a message is delivered, or its acknowledgement recorded, when it is on the disk."),
            sdk::option("done_file", &config::done_file)
                .by_default("DONE")
                .uri_query()
                .doc("The marker that says that nothing more comes."),
            sdk::option("emit_done", &config::emit_done)
                .by_default("never")
                .value("never", done_mode::never)
                .value("success", done_mode::success)
                .value("end", done_mode::end)
                .publisher_only()
                .uri_query()
                .doc("When the marker is written: `success`, when the route has come to the end of its input; `end`, also when it is "
                     "stopped or fails."),
            sdk::option("producer_file", &config::producer_file).by_default("PRODUCER").uri_query().doc("The claim of the producer."),
            sdk::option("consumer_file", &config::consumer_file).by_default("CONSUMER").uri_query().doc("The claim of the consumer."),
            sdk::option("claim", &config::claim)
                .by_default("exclusive")
                .value("exclusive", claim_mode::exclusive)
                .value("warn", claim_mode::warn)
                .value("off", claim_mode::off)
                .uri_query()
                .doc("What happens to a second producer or consumer: refused, warned, or nothing."),
            sdk::option("drain_on_read", &config::drain_on_read)
                .by_default(true)
                .consumer_only()
                .uri_query()
                .doc("Acknowledged chunks are deleted. Without it nothing is, and every start reads everything once."),
            sdk::option("stop_on_done", &config::stop_on_done)
                .by_default(false)
                .consumer_only()
                .uri_query()
                .doc("The input ends when the spool is empty and the marker is there."),
            sdk::option("poll_interval_ms", &config::poll_interval_ms)
                .by_default(100)
                .at_least(1)
                .at_most(3'600'000)
                .consumer_only()
                .uri_query()
                .doc("How often an empty spool is looked at."),
            sdk::option("max_record_bytes", &config::max_record_bytes)
                .by_default(100 << 20)
                .size()
                .at_least(1)
                .consumer_only()
                .uri_query()
                .doc("A longer chunk is an error of that chunk."),
            sdk::option("source_metadata", &config::source_metadata)
                .by_default(false)
                .consumer_only()
                .uri_query()
                .doc("Adds `mqb.src.spool_path` and `mqb.src.spool_chunk`."));
    }
    // Throws what a schema cannot say.
    void check(std::uint32_t side) const;
};

}  // namespace mqb::dir_spool
