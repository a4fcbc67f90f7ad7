#include "consumer.hpp"

#include <algorithm>
#include <cerrno>
#include <system_error>

#include <fcntl.h>

#include <mqb/sdk/source_metadata.hpp>

#include "listing.hpp"

namespace mqb::dir_spool {
namespace {

// Names in memory, 32 bytes each and more for those longer than 15: a spool of a million chunks is read in sixteen listings.
constexpr std::size_t most_listed = 65536;

std::string reason(int error) { return std::generic_category().message(error); }

}  // namespace

consumer::consumer(const sdk::context& made, config chosen)
    : sdk::blocking_consumer(made), config_(std::move(chosen)), drains_(made.drains()), spool_(config_.path),
      files_(config_.payload_extension, config_.metadata_extension), shards_{config_.shard_depth, config_.shard_width},
      reader_(spool_, files_), claim_(config_.consumer_file), backlog_(!config_.drain_on_read) {
    config_.source_metadata = config_.source_metadata || sdk::environment_asks_for_source();
}

sdk::promises consumer::promise(const config& chosen) {
    sdk::promises kept;
    kept.acknowledges(sdk::settles::message).takes(MQB_NACK).stable_identity();
    if (chosen.stop_on_done) kept.finite();
    return kept;
}

void consumer::connect() {
    if (spool_.open(config_.fsync == fsync_mode::chunk)) {
        claim_.release();
        backlog_.clear();
        listed_until_.clear();
        ++number_of_spool_;
    }
    failed_.reset();
    next_look_ = {};
    if (!config_.drain_on_read) return;  // who deletes nothing is in nobody's way
    if (const std::string shared = claim_.take_as("consumer", spool_, config_.claim); !shared.empty()) host().warning(shared);
}

sdk::status consumer::receive(sdk::receive_call& call, std::chrono::milliseconds slice) {
    if (failed_) throw *std::exchange(failed_, {});
    auto now = clock::now();
    bool is_at_end = false;
    if (!backlog_.next(now) && (call.drains() || now >= next_look_)) {
        is_at_end = look(call.drains());
        now = clock::now();
    }
    if (backlog_.next(now)) {
        auto batch = batches_.open();
        batch->extra.spool = number_of_spool_;
        fill(call, batch);
        if (batch->size() > 0) return batch.give(call);
        if (failed_) throw *std::exchange(failed_, {});
        return sdk::status::pending;
    }
    // What was given back and waits for its time is still to come.
    if (is_at_end && !backlog_.has_delayed() && (call.drains() || backlog_.unsettled() == 0)) return sdk::status::end;
    wait(slice);
    return sdk::status::pending;
}

// Lists what is there. True: nothing, and nothing more comes.
bool consumer::look(bool drains) {
    const auto begin = clock::now();
    if (!spool_.is_in_place()) throw sdk::disconnected("spool '", config_.path, "' was removed");
    // Before the listing: what was written before the marker is seen.
    const bool is_done = config_.stop_on_done && spool_.exists(config_.done_file);
    const bool goes_on = !listed_until_.empty();
    if (!goes_on) backlog_.begin_listing();
    listing found = list_chunks(spool_, files_, shards_, most_listed, config_.drain_on_read,
                                [this](std::string_view payload) { return payload > listed_until_ && is_new(payload); });
    if (found.error != 0) throw unreadable(config_.path, found.error);
    if (!found.has_more) backlog_.end_listing();
    listed_until_ = found.has_more && !config_.drain_on_read ? found.payloads.back() : std::string{};
    if (found.has_strange_directories && !std::exchange(warned_of_directories_, true))
        host().warn(sdk::join("spool '", config_.path, "' has directories in which a reader with shard_depth ", config_.shard_depth,
                              " and shard_width ", config_.shard_width, " does not look"));
    const bool is_empty = found.payloads.empty() && !goes_on;
    backlog_.refill(std::move(found.payloads));
    // A listing that takes long is not made over and over: at most a tenth of the time goes into looking.
    const auto end = clock::now();
    if (is_empty) next_look_ = end + std::max<clock::duration>(std::chrono::milliseconds(config_.poll_interval_ms), 10 * (end - begin));
    return is_empty && (drains || is_done);
}

// What stays where it is was given before only if it is still the same: names come back where somebody else empties the spool.
bool consumer::is_new(std::string_view payload) {
    if (!config_.drain_on_read && payload <= backlog_.last_given())
        if (const auto id = reader_.made_id_of(std::string(payload)); id && backlog_.was_given(*id)) return false;
    return !backlog_.is_out(payload);
}

void consumer::fill(sdk::receive_call& call, sdk::open_batch<given>& batch) {
    try {
        while (const std::string* payload = backlog_.next(clock::now()))
            if (!add(call, batch, *payload)) return;
    } catch (const sdk::failure& failed) { failed_ = failed; }
}

// False: the batch is full.
bool consumer::add(const sdk::receive_call& call, sdk::open_batch<given>& batch, const std::string& payload) {
    const open_chunk chunk = reader_.open(payload);
    if (chunk.error == ENOENT) {
        // Somebody took it away since it was listed.
        host().count("chunks_vanished", 1);
        backlog_.skip();
        return true;
    }
    if (chunk.error != 0) throw unreadable(payload, chunk.error);
    const std::uint64_t size = std::min(chunk.size, config_.max_record_bytes);
    if (!batch->takes(call, size)) return false;
    int error = 0;
    sidecar says = reader_.read_sidecar_of(payload, error);
    if (error != 0) throw unreadable(files_.sidecar(reader_.chunk_of(payload)), error);
    const std::int64_t read = chunk_reader::read(chunk.payload, reinterpret_cast<char*>(batch->prepare(size)), size);
    if (read < 0) throw unreadable(payload, errno);

    const bool is_whole = chunk.size <= config_.max_record_bytes;
    std::string refused;
    if (!is_whole)
        refused = sdk::join("spool '", config_.path, "': chunk ", payload, " has ", chunk.size, " bytes, more than max_record_bytes (",
                            config_.max_record_bytes, "); here are its first ", size, ", and it stays in the spool, with .",
                            refused_extension, " behind its name");
    else if (!says.why_broken.empty())
        refused = sdk::join("spool '", config_.path, "': the sidecar of chunk ", payload, " is broken: ", says.why_broken);
    const auto bytes = static_cast<std::size_t>(read);
    auto message = batch->add_part(batch->keep(bytes), bytes);
    if (!refused.empty()) {
        host().count("records_refused", 1);
        message.text(MQB_META_BROKEN_KEY, refused);
    } else {
        message.metadata(says.metadata.view());
    }
    if (config_.source_metadata || !refused.empty())
        message.text("mqb.src.spool_path", config_.path).text("mqb.src.spool_chunk", reader_.chunk_of(payload));
    message.id(says.id.value_or(chunk.made_id).data());
    batch->extra.chunks.push_back({payload, chunk.made_id, is_whole, false, false});
    message.delivery_count(backlog_.give(chunk.made_id));
    return true;
}

void consumer::wait(std::chrono::milliseconds slice) {
    auto until = std::min(clock::now() + slice, next_look_);
    if (const auto due = backlog_.next_due()) until = std::min(until, *due);
    std::unique_lock lock(mutex_);
    changed_.wait_until(lock, until, [this] { return is_woken_; });
    is_woken_ = false;
}

void consumer::wake() noexcept {
    {
        std::lock_guard lock(mutex_);
        is_woken_ = true;
    }
    changed_.notify_one();
}

void consumer::settle(sdk::settle_call& call) {
    given& batch = batches_.of(call)->extra;
    if (batch.spool != number_of_spool_) return call.all_gone();
    std::vector<std::string> directories;
    for (const sdk::settle_entry entry : call) {
        given_chunk& chunk = batch.chunks[entry.index()];
        if (entry.disposition() == MQB_NACK) {
            const auto delay = std::chrono::nanoseconds(std::min<std::uint64_t>(entry.delay_ns(), std::uint64_t{1} << 60));
            backlog_.returned(chunk.payload, delay.count() > 0 ? std::optional(clock::now() + delay) : std::nullopt);
        } else {
            if (const int error = config_.drain_on_read && !chunk.is_removed ? remove(chunk) : 0; error != 0) {
                call.explain(sdk::join("cannot delete chunk ", chunk.payload, " of spool '", config_.path, "': ", reason(error)));
                continue;
            }
            if (!std::exchange(chunk.is_removed, true)) backlog_.settled(chunk.payload);
            directories.emplace_back(directory_of(chunk.payload));
        }
        chunk.is_settled = true;
        entry.ok();
    }
    if (config_.drain_on_read) sync_after(call, directories);
}

// The payload first: a sidecar alone is nothing, a payload alone would be another message. Where somebody else took the chunk away, what
// has its name by now, or is about to, is another one, and is not touched.
int consumer::remove(const given_chunk& chunk) {
    const auto id = reader_.made_id_of(chunk.payload);
    if (!id) return errno == ENOENT ? 0 : errno;
    if (*id != chunk.made_id) return host().count("chunks_replaced", 1), 0;
    const std::string sidecar = files_.has_sidecars() ? files_.sidecar(reader_.chunk_of(chunk.payload)) : std::string{};
    int error = 0;
    if (chunk.is_whole) {
        error = spool_.remove(chunk.payload);
        if (!sidecar.empty() && error == 0) spool_.remove(sidecar);
    } else {
        unsigned number = 0;
        do error = spool_.rename_new(chunk.payload, chunk_files::refused(chunk.payload, ++number));
        while (error == EEXIST);
        if (!sidecar.empty() && error == 0) spool_.rename_new(sidecar, chunk_files::refused(sidecar, number));
    }
    return error == ENOENT ? 0 : error;
}

void consumer::sync_after(const sdk::settle_call& call, const std::vector<std::string>& changed) {
    std::vector<std::string> directories = changed;
    std::ranges::sort(directories);
    directories.erase(std::unique(directories.begin(), directories.end()), directories.end());
    int error = 0;
    for (const std::string& directory : directories) {
        if (config_.fsync == fsync_mode::chunk && error == 0) error = spool_.sync(directory);
        if (!directory.empty()) spool_.remove_empty_directories(directory + '/');
    }
    if (error == 0) return;
    // Deleted, but perhaps not for ever: asked again, they are deleted already and synchronised again.
    call.explain(sdk::join("cannot synchronise spool '", config_.path, "': ", reason(error)));
    for (const sdk::settle_entry entry : call)
        if (entry.disposition() != MQB_NACK) entry.again();
}

void consumer::free_batch(void* raw) {
    const given& batch = batches_.of(raw)->extra;
    if (batch.spool == number_of_spool_)
        for (const given_chunk& chunk : batch.chunks)
            if (!chunk.is_settled) backlog_.returned(chunk.payload, std::nullopt);
    batches_.recycle(raw);
}

// "lag": the chunks that were not given out, or were given back.
sdk::status consumer::control(sdk::control_call& call) {
    if (call.name() != "lag" || !spool_.is_in_place()) return sdk::status::unsupported;
    const auto count = count_chunks(spool_, files_, shards_, [this](std::string_view payload) { return is_new(payload); });
    if (!count) return sdk::status::unsupported;
    call.answer(sdk::join("{\"messages\":", *count, '}'));
    return sdk::status::done;
}

void consumer::disconnect() { claim_.release(); }

// What nobody can read blocks the spool until it can be read: it is neither passed over nor lost. A drain cannot wait for that.
sdk::failure consumer::unreadable(std::string_view what, int error) const {
    return sdk::failure(drains_ ? sdk::status::bad_config : sdk::status::retry,
                        sdk::join("cannot read ", what, " of spool '", config_.path, "': ", reason(error)));
}

}  // namespace mqb::dir_spool
