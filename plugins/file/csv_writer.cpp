#include "csv_writer.hpp"

#include <string>
#include <unordered_set>

#include <mqb/sdk/text.hpp>

namespace mqb::file {

csv_writer::csv_writer(csv_dialect dialect, bool flatten, bool strict)
    : dialect_(std::move(dialect)), flatten_(flatten), strict_(strict), chosen_(!dialect_.columns.empty()), columns_(dialect_.columns),
      cell_(dialect_), cells_(columns_.size()) {}

void csv_writer::follow(std::vector<std::string> columns) {
    columns_ = csv_columns(std::move(columns));
    cells_.assign(columns_.size(), {});
}

bool csv_writer::refuse(std::string text) {
    why_ = std::move(text);
    return false;
}

// False: the record is refused for it.
bool csv_writer::mismatch(bool& told, std::string text) {
    if (strict_) return refuse(std::move(text));
    told = true;
    warnings_.push_back(std::move(text));
    return true;
}

std::string_view csv_writer::append(std::string_view payload, bool with_header, text_buffer& to) {
    constexpr std::string_view no_object = "CSV format requires a non-empty JSON object payload";
    if (payload.empty() || !check_.is_json(payload) || !leaves_.begin(payload, flatten_)) return no_object;
    const bool is_first = columns_.empty();
    if (is_first && !adopt(payload)) return no_object;

    const std::size_t begin = to.size();
    if (fill(payload) && (!with_header || put_header(to)) && put_row(payload.data() + payload.size(), to)) return {};
    to.cut(begin);
    if (is_first) follow({});  // another record becomes the first
    return why_;
}

// The keys of the first record, in its order; false: it has none.
bool csv_writer::adopt(std::string_view payload) {
    std::vector<std::string> names;
    std::unordered_set<std::string> known;
    for (leaves_.begin(payload, flatten_); leaves_.next();)
        if (known.emplace(leaves_.path()).second) names.emplace_back(leaves_.path());
    if (names.empty()) return false;
    follow(std::move(names));
    return true;
}

// Finds the value of each column.
bool csv_writer::fill(std::string_view payload) {
    ++row_;
    std::size_t found = 0;
    bool any = false;
    for (leaves_.begin(payload, flatten_); leaves_.next();) {
        any = true;
        const std::size_t column = columns_.find(leaves_.path());
        if (column == csv_columns::none) {
            if (!chosen_ && !told_extra_ && !mismatch(told_extra_, sdk::join("the key '", leaves_.path(), "' has no column"))) return false;
            continue;
        }
        cell& one = cells_[column];
        if (one.row != row_) {
            ++found;
        } else if (!told_twice_ && !mismatch(told_twice_, sdk::join("the key '", leaves_.path(), "' is there twice; the last counts"))) {
            return false;
        }
        one = {leaves_.value(), row_};
    }
    if (!any) return refuse("CSV format requires a non-empty JSON object payload");
    if (found == 0) return refuse("none of the keys has a column");
    if (found == columns_.size() || told_missing_) return true;
    for (std::size_t i = 0; i < columns_.size(); ++i)
        if (cells_[i].row != row_) return mismatch(told_missing_, sdk::join("the column '", columns_[i], "' has no value"));
    return true;
}

bool csv_writer::put_row(const char* readable, text_buffer& to) {
    const std::size_t begin = to.size();
    for (std::size_t i = 0; i < cells_.size(); ++i) {
        if (i > 0) to.append(*dialect_.separator);
        bool fits = true;
        if (const std::string_view value = cells_[i].value; cells_[i].row == row_) switch (value.front()) {
                case '"': fits = cell_.put_string(value.substr(1, value.size() - 2), readable, to); break;
                case '{':
                case '[': fits = cell_.put_json(value, to); break;
                case 'n': break;  // null
                default: fits = cell_.put_text(value, readable, to); break;
            }
        if (!fits || !end_cell(i, begin, to))
            return refuse(sdk::join("the value of '", columns_[i], "' cannot be written without quotes, and `quote` is none"));
    }
    to.append(dialect_.delimiter);
    return true;
}

bool csv_writer::put_header(text_buffer& to) {
    const std::size_t begin = to.size();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        if (i > 0) to.append(*dialect_.separator);
        const std::string& name = columns_[i];
        if (!cell_.put_text(name, name.data() + name.size(), to) || !end_cell(i, begin, to))
            return refuse(sdk::join("the column '", name, "' cannot be written without quotes, and `quote` is none"));
    }
    to.append(dialect_.delimiter);
    return true;
}

// Two rows would not be read as what they are: nothing at all, and one that seems to begin with a byte order mark.
bool csv_writer::end_cell(std::size_t column, std::size_t row_begin, text_buffer& to) {
    if (column != 0) return true;
    const bool is_nothing = columns_.size() == 1 && to.size() == row_begin;
    if (!is_nothing && !to.from(row_begin).starts_with("\xef\xbb\xbf")) return true;
    const std::string text(to.from(row_begin));
    to.cut(row_begin);
    return cell_.put_quoted(text, to);
}

}  // namespace mqb::file
