#include "csv_header.hpp"

#include <unordered_set>

#include "json_string.hpp"
#include "utf8.hpp"

namespace mqb::file {

std::vector<std::string> csv_fields(std::string_view row, const csv_dialect& dialect) {
    std::vector<std::string> fields;
    std::size_t at = 0;
    for (;;) {
        std::string field;
        if (at < row.size() && row[at] == dialect.quote) {
            for (++at; at < row.size(); ++at) {
                if (row[at] == dialect.quote && (++at == row.size() || row[at] != dialect.quote)) break;
                field.push_back(row[at]);
            }
        }
        while (at < row.size() && row[at] != dialect.separator) field.push_back(row[at++]);
        fields.push_back(std::move(field));
        if (at >= row.size()) return fields;
        ++at;
    }
}

bool make_unique(std::vector<std::string>& names) {
    std::unordered_set<std::string> taken(names.begin(), names.end());
    std::unordered_set<std::string> seen;
    bool repeated = false;
    for (std::string& name : names) {
        if (seen.insert(name).second) continue;
        repeated = true;
        std::string other;
        for (std::size_t n = 2; !taken.insert(other = name + '_' + std::to_string(n)).second; ++n) {}
        name = std::move(other);
    }
    return repeated;
}

csv_keys::csv_keys(const csv_dialect& dialect) {
    csv_type before = csv_type::text;
    for (const std::string& column : dialect.columns) {
        const auto typed = dialect.types.find(column);
        const csv_type type = typed == dialect.types.end() ? csv_type::text : typed->second;
        std::string name;
        append_as_utf8(column, name);
        const std::size_t size = name.size();
        name.append(chunk_padding, '\0');
        std::string inside(size * longest_escape + chunk_padding, '\0');
        inside.resize(static_cast<std::size_t>(put_json_text(inside.data(), std::string_view(name).substr(0, size)) - inside.data()));

        const std::size_t offset = text_.size();
        text_.append(pieces_.empty() ? "{\"" : before == csv_type::text ? "\",\"" : ",\"").append(inside);
        text_.append(type == csv_type::text ? "\":\"" : "\":");
        pieces_.push_back({offset, text_.size() - offset, type});
        total_ += text_.size() - offset + (type == csv_type::text ? 0 : longest_gain);
        before = type;
        text_.append(chunk_padding, '\0');
    }
    if (before != csv_type::text) end_ = std::string_view("}\0", 1);
    total_ += 2;
}

}  // namespace mqb::file
