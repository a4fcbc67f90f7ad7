#include "csv_file_header.hpp"

#include <algorithm>

#include "csv_header.hpp"
#include "csv_row_end.hpp"

namespace mqb::file {

csv_file_header read_csv_header(std::string_view start, bool is_all, const csv_dialect& dialect) {
    if (start.starts_with("\xef\xbb\xbf")) start.remove_prefix(3);
    const bool returns = dialect.delimiter == '\n';
    while (!start.empty() && (start.front() == dialect.delimiter || (returns && start.starts_with("\r\n")))) start.remove_prefix(1);
    if (start.empty() && is_all) return {};
    csv_row_end row(std::string_view(&*dialect.separator, 1), dialect.quote, dialect.delimiter);
    const auto end = row.find(start);
    if (!end && !is_all) return {{}, "its first record is longer than " + std::to_string(longest_csv_header) + " bytes"};
    if (!end && row.inside_quotes()) return {{}, "its first record ends inside quotes"};
    std::string_view record = start.substr(0, end.value_or(start.size()));
    if (returns && record.ends_with('\r')) record.remove_suffix(1);
    csv_file_header header{csv_fields(record, dialect), {}};
    make_unique(header.columns);
    return header;
}

std::string difference(const std::vector<std::string>& in_file, const std::vector<std::string>& configured) {
    std::string text;
    const auto name_those = [&text](const char* verb, const std::vector<std::string>& of, const std::vector<std::string>& not_of) {
        bool any = false;
        for (const std::string& name : of) {
            if (std::ranges::find(not_of, name) != not_of.end()) continue;
            text += any ? ", '" : text.empty() ? std::string(verb) + " '" : std::string(" and ") + verb + " '";
            text += name + '\'';
            any = true;
        }
    };
    name_those("lacks", configured, in_file);
    name_those("has", in_file, configured);
    if (text.empty() && in_file != configured) text = "has them in another order";
    return text;
}

}  // namespace mqb::file
