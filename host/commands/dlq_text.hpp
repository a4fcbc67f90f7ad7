// dlq_text: dead letters for people.
#pragma once

#include "host/state/letter.hpp"
#include "host/state/letter_json.hpp"

#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace mqb::host {

struct text_style {
    bool has_colour = false;
    std::size_t width = 0;  // lines of the table are cut there; 0: nowhere
};
// That of standard output: colour and width only on a terminal; none with NO_COLOR.
[[nodiscard]] text_style style_of_output();

[[nodiscard]] std::string age(std::uint64_t at_ns, std::uint64_t now_ns);  // "12s", "5m", "3h", "2d"
[[nodiscard]] std::string size_in_words(std::uint64_t bytes);              // "0 B", "1.5 KiB"
// Control characters as escapes: an error must not move the cursor of whoever reads it.
[[nodiscard]] std::string harmless(std::string_view text, bool keep_lines = false);

// A table in parts, each a page of letters; the columns get their widths from the first page.
class letter_table {
public:
    letter_table(std::ostream& to, text_style style, state::text_filter clean, std::uint64_t now_ns)
        : to_(to), style_(style), clean_(std::move(clean)), now_(now_ns) {}
    void add(const std::vector<state::letter>& page);

private:
    using row = std::vector<std::string>;
    [[nodiscard]] row cells(const state::letter& l) const;
    void put(const row& cells, std::string_view colour);

    std::ostream& to_;
    text_style style_;
    state::text_filter clean_;
    std::uint64_t now_;
    std::vector<std::size_t> widths_;
};

void print_letter(std::ostream& to, const state::letter& l, const state::letter_content& content, const state::text_filter& clean,
                  std::uint64_t now_ns);

}  // namespace mqb::host
