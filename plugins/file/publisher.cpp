#include "publisher.hpp"

#include <cerrno>
#include <system_error>

namespace mqb::file {

publisher::publisher(const sdk::context& made, config chosen)
    : sdk::publisher(made), config_(std::move(chosen)), output_(config_.path), delimiter_(config_.delimiter_byte()) {
    if (config_.format != record_format::raw) envelope_.emplace(config_.format, delimiter_);
}

// One send at a time, taken back as a whole when it fails: nothing of it is in the file when it is sent again.
sdk::promises publisher::promise(const config&) { return sdk::promises{}.ordered().ordered_retry(); }

void publisher::connect() {
    const output_file::opened is = output_.open(delimiter_, config_.fsync != fsync_mode::off);
    mend_ = is.unended;
    if (is.cut != 0)
        host().warning("file target '", config_.path, "': ", is.cut, " bytes of a record that was not finished were cut from its end");
    if (is.unclaimed == EWOULDBLOCK)
        host().warning("file target '", config_.path, "' is open in another publisher; a record that a kill leaves half-written stays");
    else if (is.unclaimed != 0)
        host().warning("file target '", config_.path, "': a record that a kill leaves half-written stays, since '", config_.path,
                       ".writing' cannot be written: ", std::generic_category().message(is.unclaimed));
    if (mend_) host().warning("file target '", config_.path, "' does not end with the delimiter; it is put behind the last record");
}

sdk::status publisher::send(sdk::send_call& call) {
    if (call.flushes()) return sdk::status::done;
    if (!output_.begin_batch()) return call.fail(sdk::status::disconnected, sdk::join("file target '", config_.path, "' was removed"));
    int error = write_all(call);
    if (error == 0 && config_.fsync == fsync_mode::batch) error = output_.sync();
    if (error != 0) return fail(call, error);
    mend_ = false;
    if (!config_.max_message_bytes) return call.all_done(), sdk::status::done;
    for (std::uint32_t i = 0; i < call.size(); ++i) answer(call, i);
    return sdk::status::done;
}

bool publisher::is_too_long(sdk::message_view message) const {
    return config_.max_message_bytes && message.payload().size() > *config_.max_message_bytes;
}

void publisher::answer(const sdk::send_call& call, std::uint32_t index) const {
    const sdk::message_view message = call[index];
    if (!is_too_long(message)) return call.done(index);
    call.refused(index, sdk::join("file target '", config_.path, "': a payload of ", message.payload().size(),
                                  " bytes is longer than max_message_bytes, ", *config_.max_message_bytes));
}

int publisher::write_all(const sdk::send_call& call) {
    buffer_.clear(2 * piece);
    ends_.clear();
    if (mend_) buffer_.append(delimiter_);
    for (const sdk::message_view message : call)
        if (const int error = append(message); error != 0) return error;
    return flush();
}

int publisher::append(sdk::message_view message) {
    if (is_too_long(message)) {
        ends_.push_back(ends_.empty() ? 0 : ends_.back());
        return 0;
    }
    if (envelope_) {
        envelope_->append(message.raw(), buffer_);
    } else if (message.payload().size() < piece) {
        buffer_.append(message.text());
        buffer_.append(delimiter_);
    } else {
        if (const int error = flush(); error != 0) return error;
        if (const int error = output_.write(message.text()); error != 0) return error;
        buffer_.append(delimiter_);
    }
    ends_.push_back(output_.written() + buffer_.size());
    return buffer_.size() < piece ? 0 : flush();
}

int publisher::flush() {
    const int error = output_.write(buffer_.text());
    buffer_.clear(2 * piece);
    return error;
}

// Of a file everything is taken back, so that all was not sent. Where that cannot be done, what is whole in there is done.
sdk::status publisher::fail(const sdk::send_call& call, int error) {
    // Only a pipe or a socket has a reader, and only standard output can be one. No other reader ever comes.
    const bool has_no_reader = error == EPIPE || error == ECONNRESET;
    const std::string why =
        sdk::join("cannot write to file target '", config_.path,
                  "': ", has_no_reader ? "standard output was closed by its reader" : std::generic_category().message(error));
    const bool taken_back = output_.take_back();
    std::uint32_t first = 0;
    if (!taken_back) {
        while (first < ends_.size() && ends_[first] <= output_.written()) answer(call, first++);
        if (first < call.size()) call.uncertain(first, why + "; a part of the record may be in the file");
        mend_ = true;
    } else {
        call.again(first, why + "; the batch was taken back");
    }
    if (has_no_reader) return call.fail(sdk::status::bad_config, why);
    const bool may_pass = error == ENOSPC || error == EDQUOT || error == EFBIG || error == EINTR || error == EAGAIN;
    return call.fail(may_pass ? sdk::status::retry : sdk::status::disconnected, why);
}

}  // namespace mqb::file
