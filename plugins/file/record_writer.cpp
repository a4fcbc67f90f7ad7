#include "record_writer.hpp"

#include <iterator>

#include "csv_file_header.hpp"

namespace mqb::file {

record_writer::record_writer(const config& of) : path_(of.path), dialect_(of.dialect()), strict_(of.csv.on_mismatch == "fail") {
    if (of.format == record_format::csv)
        csv_.emplace(dialect_, of.csv.nested == "flatten", strict_);
    else if (of.format != record_format::raw)
        envelope_.emplace(of.format, dialect_.delimiter);
}

std::string_view record_writer::append(const sdk::message_view& message, bool is_first, text_buffer& to) {
    if (csv_) return csv_->append(message.text(), is_first && dialect_.header, to);
    if (envelope_) {
        envelope_->append(message.raw(), to);
    } else {
        to.append(message.text());
        to.append(dialect_.delimiter);
    }
    return {};
}

std::optional<csv_row_end> record_writer::row_end() const {
    if (!csv_ || !dialect_.quote) return std::nullopt;
    return csv_row_end(std::string_view(&*dialect_.separator, 1), dialect_.quote, dialect_.delimiter);
}

bool record_writer::follow(std::string_view start, bool is_all) {
    csv_file_header header = read_csv_header(start, is_all, dialect_);
    if (!header.why_not.empty()) throw sdk::bad_config("file target '", path_, "' has no CSV header: ", header.why_not);
    if (header.columns.empty()) return false;
    if (!dialect_.columns.empty()) {
        const std::string other = difference(header.columns, dialect_.columns);
        if (!other.empty() && strict_) throw sdk::bad_config("file target '", path_, "' has other columns than `csv.columns`: it ", other);
        if (!other.empty())
            warnings_.push_back(
                sdk::join("it has other columns than `csv.columns`: it ", other, "; rows are written in those of the file"));
    }
    csv_->follow(std::move(header.columns));
    return true;
}

std::vector<std::string> record_writer::take_warnings() {
    std::vector<std::string> all = std::exchange(warnings_, {});
    if (csv_) {
        auto of_rows = csv_->take_warnings();
        std::move(of_rows.begin(), of_rows.end(), std::back_inserter(all));
    }
    return all;
}

}  // namespace mqb::file
