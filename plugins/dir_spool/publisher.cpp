#include "publisher.hpp"

#include <algorithm>
#include <cerrno>
#include <system_error>

#include <fcntl.h>

#include "sidecar.hpp"
#include "survey.hpp"

namespace mqb::dir_spool {
namespace {

std::string reason(int error) { return std::generic_category().message(error); }

}  // namespace

publisher::publisher(const sdk::context& made, config chosen)
    : sdk::blocking_publisher(made), config_(std::move(chosen)), spool_(config_.path),
      files_(config_.payload_extension, config_.metadata_extension),
      naming_(config_.naming_pattern, {config_.shard_depth, config_.shard_width}), claim_(config_.producer_file),
      writer_(spool_, files_, config_.atomic, is_synced(), config_.claim == claim_mode::exclusive) {
    keep_order_of_retries();
}

sdk::promises publisher::promise(const config&) { return sdk::promises{}.ordered().ordered_retry(); }

void publisher::connect() {
    is_open_ = false;
    if (spool_.open(is_synced())) {
        claim_.release();
        writer_.begin_anew();
        next_ = 0;
    }
    if (const std::string shared = claim_.take_as("producer", spool_, config_.claim); !shared.empty()) host().warning(shared);
    if (spool_.is_directory(config_.done_file)) throw sdk::bad_config(cannot_remove_marker(EISDIR));
    find_sequence();
    is_open_ = true;
    is_marker_gone_ = false;
}

void publisher::find_sequence() {
    // Whose files they are is known where nobody else may write, and nowhere else.
    const bool clears = config_.claim == claim_mode::exclusive && claim_.held();
    const survey found = look_over(spool_, files_, naming_, {config_.shard_depth, config_.shard_width}, clears);
    if (found.error != 0) throw sdk::retry_later("cannot read spool '", config_.path, "': ", reason(found.error));
    if (found.unfinished + found.without_payload > 0)
        host().warning("spool '", config_.path, "': removed what a producer or consumer that died had left: ", found.unfinished,
                       " unfinished files, ", found.without_payload, " sidecars without a payload");
    is_used_up_ = found.highest == UINT64_MAX;
    if (is_used_up_)
        throw sdk::bad_config("spool '", config_.path, "' has a chunk with the number ", UINT64_MAX, ", behind which there is none");
    // Never back: what a reader deletes at this moment is not to be mistaken for what comes next.
    next_ = std::max(next_, found.highest ? *found.highest + 1 : 0);
}

sdk::status publisher::send(sdk::send_call& call) {
    if (call.flushes()) return sdk::status::done;
    is_complete_ = false;
    has_begun_ = true;
    if (!spool_.is_in_place()) return call.fail(sdk::status::disconnected, sdk::join("spool '", config_.path, "' was removed"));
    if (const int error = remove_marker(); error != 0) {
        call.again(0, cannot_remove_marker(error));
        return call.fail(sdk::status::disconnected, cannot_remove_marker(error));
    }
    const progress until = write(call);
    if (is_synced() && until.written > 0) {
        if (const int error = writer_.sync_directories(); error != 0) {
            const std::string why = sdk::join("cannot synchronise spool '", config_.path, "': ", reason(error));
            for (std::uint32_t i = 0; i < until.written; ++i) call.uncertain(i, why);
            return call.fail(sdk::status::disconnected, why);
        }
    }
    for (std::uint32_t i = 0; i < until.written; ++i) call.done(i);
    return until.error == 0 ? sdk::status::done : fail(call, until);
}

// A connection alone says nothing of the spool, so that one that is only tried out changes nothing.
int publisher::remove_marker() {
    if (is_marker_gone_) return 0;
    const int error = spool_.remove(config_.done_file);
    if (error != 0 && error != ENOENT) return error;
    if (error == 0) writer_.changes("");
    is_marker_gone_ = true;
    return 0;
}

std::string publisher::cannot_remove_marker(int error) const {
    return sdk::join("spool '", config_.path, "': cannot remove ", config_.done_file, ": ", reason(error));
}

publisher::progress publisher::write(const sdk::send_call& call) {
    progress until;
    while (until.written < call.size() && until.error == 0) {
        until.error = should_stop() ? ECANCELED : write_group(call, until.written);
        if (until.error == EEXIST && config_.claim != claim_mode::exclusive) is_shared_ = true;
        // Somebody else took the number: the same message goes on with the next one.
        if (until.error == EEXIST && next_ != UINT64_MAX) ++next_, until.error = 0;
    }
    return until;
}

// Some chunks together, so that the disk has several to write at once. With an error what was not published is gone again.
int publisher::write_group(const sdk::send_call& call, std::uint32_t& written) {
    const std::uint64_t first = next_;
    const auto most = std::min<std::size_t>(writer_.most_staged(), call.size() - written);
    int error = 0;
    std::vector<std::uint64_t> numbers;
    while (error == 0 && writer_.staged() < most) {
        error = stage(call[written + static_cast<std::uint32_t>(writer_.staged())].raw());
        if (error == 0) numbers.push_back(next_++);
    }
    const std::uint64_t failed_at = next_;
    if (const int unsynced = writer_.sync(); unsynced != 0) return next_ = first, unsynced;
    for (std::size_t i = 0; writer_.staged() > 0; ++i) {
        if (const int unpublished = writer_.publish(); unpublished != 0) {
            writer_.take_back_all();
            return next_ = numbers[i], unpublished;
        }
        ++written;
    }
    return next_ = failed_at, error;
}

int publisher::stage(const mqb_message& message) {
    if (is_used_up_) return ERANGE;
    const auto milliseconds = host().wall() / 1'000'000;
    std::string chunk = naming_.path_of(next_, milliseconds, message.id);
    while (is_shared_ && (spool_.exists(files_.payload(chunk)) || (files_.has_sidecars() && spool_.exists(files_.sidecar(chunk)))))
        chunk = naming_.path_of(++next_, milliseconds, message.id);
    if (next_ > naming_.last_in_order() && !std::exchange(warned_of_order_, true))
        host().warn(sdk::join("spool '", config_.path, "': number ", next_, " has more digits than naming_pattern ", config_.naming_pattern,
                              " gives it, so that chunks are no longer read in the order in which they are written"));
    sidecar_.clear();
    if (files_.has_sidecars()) append_sidecar(message, sidecar_);
    const int error = writer_.stage(chunk, sdk::view(message.payload), sidecar_);
    is_used_up_ = error == 0 && next_ == UINT64_MAX;
    return error;
}

sdk::status publisher::fail(const sdk::send_call& call, const progress& until) {
    if (until.error == ECANCELED) return sdk::status::cancelled;
    const std::string why = sdk::join("cannot write to spool '", config_.path, "': ", reason(until.error));
    if (until.error == ENOENT && !spool_.is_in_place())
        return call.fail(sdk::status::disconnected, sdk::join("spool '", config_.path, "' was removed"));
    call.again(until.written, why);
    const bool may_pass = until.error == ENOSPC || until.error == EDQUOT || until.error == EFBIG || until.error == EMFILE ||
                          until.error == ENFILE || until.error == EEXIST;
    return call.fail(may_pass ? sdk::status::retry : sdk::status::disconnected, why);
}

sdk::status publisher::control(sdk::control_call& call) {
    if (call.name() != "input.ended") return sdk::status::unsupported;
    is_complete_ = true;
    return sdk::status::done;
}

// The last call on the thread: nothing more comes from here.
void publisher::disconnect() {
    const bool is_end = is_complete_ || (has_begun_ && config_.emit_done == done_mode::end);
    if (is_open_ && is_end && config_.emit_done != done_mode::never) write_marker();
    claim_.release();
}

void publisher::write_marker() {
    const descriptor marker = spool_.open_file(config_.done_file, O_WRONLY | O_CREAT);
    int error = marker ? 0 : errno;
    if (error == 0 && is_synced()) error = ::fsync(marker.number()) == 0 ? spool_.sync("") : errno;
    if (error != 0) host().error("spool '", config_.path, "': cannot write ", config_.done_file, ": ", reason(error));
}

}  // namespace mqb::dir_spool
