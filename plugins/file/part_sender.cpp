#include "part_sender.hpp"

#include <cerrno>
#include <system_error>

namespace mqb::file {
namespace {

std::string_view extension_of(record_format format) {
    switch (format) {
        case record_format::raw: return "bin";
        case record_format::csv: return "csv";
        default: return "jsonl";
    }
}

}  // namespace

part_sender::part_sender(const config& chosen, record_writer& records)
    : max_message_bytes_(chosen.max_message_bytes), durable_(chosen.fsync != fsync_mode::off), records_(records),
      parts_(chosen.path, std::string(extension_of(chosen.format))) {}

std::string part_sender::text(std::string_view what) const { return sdk::join("file target '", parts_.path(), "': ", what); }

sdk::status part_sender::send(const sdk::send_call& call) {
    begin_ = end_ = 0;
    dealt_with_.clear();
    buffer_.clear(2 * piece);
    bool has_position = true;
    for (const sdk::message_view message : call) {
        const auto at = positions_.look(message.metadata());
        has_position = at.has_value();
        if (!has_position) break;
        if (const int error = take(message, *at); error != 0) return fail(call, error);
    }
    if (const int error = finish(); error != 0) return fail(call, error);
    if (const int error = answer(call); error != 0) return fail_sync(call, error);
    if (!has_position)
        return call.fail(sdk::status::bad_config,
                         text("`name_by: source_position` needs the source position of each message in its metadata; a file input "
                              "gives it with `source_metadata: true`"));
    return sdk::status::done;
}

int part_sender::take(const sdk::message_view& message, const source_position& at) {
    const std::uint32_t index = message.index();
    const bool is_there = parts_.has(at);
    const bool is_too_long = max_message_bytes_ && message.payload().size() > *max_message_bytes_;
    if (is_there || is_too_long || !parts_.continues(at))
        if (const int error = finish(); error != 0) return error;
    if (is_there) {
        dealt_with_.push_back({index, {}});
        return 0;
    }
    if (is_too_long) {
        refuse(index,
               sdk::join("a payload of ", message.payload().size(), " bytes is longer than max_message_bytes, ", *max_message_bytes_));
        return 0;
    }
    if (const std::string_view why = records_.append(message, !parts_.is_begun(), buffer_); !why.empty()) {
        const std::string kept(why);
        if (const int error = finish(); error != 0) return error;
        refuse(index, kept);
        return 0;
    }
    if (parts_.is_begun()) {
        parts_.extend();
    } else {
        begin_ = index;
        if (const int error = parts_.begin(at); error != 0) return error;
    }
    end_ = index + 1;
    return buffer_.size() < piece ? 0 : flush();
}

int part_sender::flush() {
    const int error = parts_.write(buffer_.text());
    buffer_.clear(2 * piece);
    return error;
}

int part_sender::finish() {
    if (!parts_.is_begun()) return 0;
    if (const int error = flush(); error != 0) return error;
    if (const int error = parts_.finish(); error != 0) return error;
    for (std::uint32_t i = begin_; i < end_; ++i) dealt_with_.push_back({i, {}});
    return 0;
}

int part_sender::answer(const sdk::send_call& call) const {
    if (dealt_with_.empty()) return 0;
    if (const int error = durable_ ? parts_.sync() : 0; error != 0) return error;
    for (const dealt_with& one : dealt_with_) {
        if (one.refused_why.empty())
            call.done(one.index);
        else
            call.refused(one.index, one.refused_why);
    }
    return 0;
}

// The parts are there and may be gone after a power cut: what comes again is done when a sync has succeeded.
sdk::status part_sender::fail_sync(const sdk::send_call& call, int error) const {
    const std::string why = text(sdk::join("the directory cannot be synchronised: ", std::generic_category().message(error)));
    call.uncertain(dealt_with_.front().index, why + "; the parts are there");
    return call.fail(sdk::status::disconnected, why);
}

// The parts before it are there; of this one nothing is.
sdk::status part_sender::fail(const sdk::send_call& call, int error) {
    parts_.drop();
    if (const int unsynced = answer(call); unsynced != 0) return fail_sync(call, unsynced);
    const std::string why = text(sdk::join("cannot write a part: ", std::generic_category().message(error)));
    call.again(begin_, why);
    const bool may_pass = error == ENOSPC || error == EDQUOT || error == EFBIG || error == EMFILE || error == ENFILE;
    return call.fail(may_pass ? sdk::status::retry : sdk::status::disconnected, why);
}

}  // namespace mqb::file
