#include "intake.hpp"

#include <algorithm>

#include "csv_reader.hpp"
#include "envelope_reader.hpp"

namespace mqb::file {
namespace {

// A slab with messages in it is not made larger than this for one message more.
constexpr std::size_t enough_for_a_batch = 1 << 20;

// Looks for records one after the other. take_one puts the next of `rest` into the batch if it fits.
template <class TakeOne>
look take_all(std::string_view unread, const sdk::batch& to, const sdk::receive_call& call, std::vector<std::uint64_t>* ends,
              TakeOne take_one) {
    std::size_t taken = 0;
    while (to.takes(call)) {
        look seen = take_one(unread.substr(taken));
        seen.begin += taken;
        taken += seen.taken;
        if (seen.what == found::no_room) break;
        seen.taken = taken;
        if (seen.what != found::record) return seen;
        if (ends != nullptr) ends->push_back(taken);
    }
    return {found::record, 0, 0, taken};
}
constexpr look full{found::no_room, 0, 0, 0};

class raw_intake : public intake {
public:
    explicit raw_intake(const config& c) : splitter_(c.delimiter_byte(), c.max_record_bytes, true) {}

    // All messages of a batch share one block of metadata.
    void begin(sdk::batch& to, std::uint64_t lane, std::vector<std::uint64_t>* ends) override {
        intake::begin(to, lane, ends);
        constexpr std::string_view key = original_format_key, value = "raw";
        constexpr std::size_t size = 8 + key.size() + value.size();
        mqb_meta_put(to.prepare(size), size, 0, MQB_META_TEXT, sdk::text_of(key), value.data(), value.size());
        metadata_size_ = size;
        metadata_at_ = to.keep(size);
    }
    look take(std::string_view unread, bool at_end, sdk::batch& to, const sdk::receive_call& call) override {
        return take_all(unread, to, call, ends_, [&](std::string_view rest) {
            const look seen = splitter_.next(rest, at_end);
            if (seen.what != found::record) return seen;
            if (!to.takes(call, seen.size)) return full;
            mqb_message& message = to.add(rest.substr(seen.begin, seen.size)).lane(lane_).raw();
            message.metadata = {to.at(metadata_at_), metadata_size_, message.payload.owner};
            return seen;
        });
    }

private:
    line_splitter splitter_;
    std::size_t metadata_at_ = 0, metadata_size_ = 0;
};

class envelope_intake : public intake {
public:
    explicit envelope_intake(const config& c) : splitter_(c.delimiter_byte(), c.max_record_bytes, false), reader_(c.format) {}

    look take(std::string_view unread, bool at_end, sdk::batch& to, const sdk::receive_call& call) override {
        return take_all(unread, to, call, ends_, [&](std::string_view rest) {
            const look seen = splitter_.next(rest, at_end);
            if (seen.what != found::record) return seen;
            auto* const start = reinterpret_cast<char*>(to.prepare(envelope_reader::most_room(seen.size)));
            const envelope line = reader_.read(rest.substr(seen.begin, seen.size), start);
            if (!to.takes(call, line.payload.size())) return full;
            const auto behind = [start](std::string_view part) { return static_cast<std::size_t>(part.data() + part.size() - start); };
            const std::size_t metadata_end = line.metadata.empty() ? 0 : behind(line.metadata);
            const std::size_t at = to.keep(std::max(behind(line.payload), metadata_end));
            const auto payload_at = at + static_cast<std::size_t>(line.payload.data() - start);
            mqb_message& message = to.add_part(payload_at, line.payload.size()).id(line.id.data()).lane(lane_).raw();
            if (!line.metadata.empty())
                message.metadata = {reinterpret_cast<const std::uint8_t*>(line.metadata.data()), line.metadata.size(),
                                    message.payload.owner};
            if (!line.why_raw.empty() && is_new(1))
                warn_once(1, sdk::join("a line is no envelope, since ", line.why_raw,
                                       ": the whole line is the payload. Plain lines are `format: raw`"));
            return seen;
        });
    }

private:
    line_splitter splitter_;
    envelope_reader reader_;
};

class csv_intake : public intake {
public:
    explicit csv_intake(const config& c) : reader_(c.dialect(), c.max_record_bytes) {}

    bool resume(std::string_view start) override { return reader_.take_header_of(start).has_value(); }
    bool knows_columns() const override { return reader_.knows_columns(); }
    std::string why_wrong() const override { return reader_.why_wrong(); }

    look take(std::string_view unread, bool at_end, sdk::batch& to, const sdk::receive_call& call) override {
        const look stopped = take_all(unread, to, call, ends_, [&](std::string_view rest) -> look {
            // The header is not looked at again with the row behind it.
            for (std::size_t passed = 0;;) {
                auto* const start = reinterpret_cast<char*>(to.prepare(2 * chunk_padding));
                output_room out{start, start + to.room() - chunk_padding};
                look seen = reader_.next(rest.substr(passed), at_end, out);
                seen.begin += passed;
                seen.taken += passed;
                if (seen.what == found::no_room) {
                    if (to.size() > 0 && to.payload_bytes() >= enough_for_a_batch) return seen;
                    passed = seen.taken;
                    to.prepare(2 * to.room());  // more than there is: the slab grows to twice its size at least
                    continue;
                }
                if (seen.what != found::record) return seen;
                const auto size = static_cast<std::size_t>(out.at - start);
                if (!to.takes(call, size)) return {found::no_room, 0, 0, seen.begin};
                to.add_part(to.keep(size), size).lane(lane_);
                return seen;
            }
        });
        if (const unsigned odd = reader_.take_oddities(); odd != 0) tell(odd);
        return stopped;
    }

private:
    void tell(unsigned odd) {
        const auto tell_one = [&](unsigned what, std::string_view text) {
            if ((odd & what) != 0) warn_once(what, std::string(text));
        };
        tell_one(short_row, "a CSV row has fewer fields than there are columns: the missing ones are empty. Is `csv.separator` right?");
        tell_one(long_row, "a CSV row has more fields than there are columns: the extra ones are dropped");
        tell_one(not_utf8, "a CSV row is not UTF-8: bad bytes become U+FFFD");
        tell_one(repeated_column, "the CSV header repeats column names: the later ones get a suffix _2, _3 …");
        if ((odd & unknown_type) != 0)
            warn_once(unknown_type, sdk::join("csv.types: '", reader_.unknown_column(), "' is no column of the file"));
    }

    csv_reader reader_;
};

}  // namespace

void intake::warn_once(unsigned what, std::string text) {
    if (!is_new(what)) return;
    warned_ |= what;
    warnings_.push_back(std::move(text));
}

std::unique_ptr<intake> make_intake(const config& c) {
    if (c.format == record_format::raw) return std::make_unique<raw_intake>(c);
    if (c.format == record_format::csv) return std::make_unique<csv_intake>(c);
    return std::make_unique<envelope_intake>(c);
}

}  // namespace mqb::file
