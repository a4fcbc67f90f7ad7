// Random records, in every dialect: what is written as CSV is read back equal, by our reader and by rules of its own.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>

#include "csv_reader.hpp"
#include "csv_writer.hpp"
#include "json_string.hpp"

using namespace mqb::file;

namespace {

using chance = std::mt19937;
std::size_t below(chance& r, std::size_t most) { return r() % most; }

std::string as_json(std::string_view text) {
    std::string inside(text.size() * longest_escape + chunk_padding, '\0');
    inside.resize(static_cast<std::size_t>(put_json_text(inside.data(), text) - inside.data()));
    return '"' + inside + '"';
}

std::string random_text(chance& r) {
    static constexpr std::string_view parts[] = {"\"",
                                                 "'",
                                                 ",",
                                                 ";",
                                                 "\t",
                                                 "|",
                                                 " ",
                                                 "\n",
                                                 "\r",
                                                 "\r\n",
                                                 "\\",
                                                 "\x01",
                                                 "x",
                                                 "some longer text without anything",
                                                 "\xc3\xa9",
                                                 "\xf0\x9f\x98\x80",
                                                 "\xef\xbb\xbf",
                                                 "{",
                                                 "]",
                                                 "null",
                                                 "0",
                                                 "\x1e"};
    std::string text;
    for (std::size_t n = below(r, 3) == 0 ? below(r, 12) : below(r, 3); n > 0; --n) text += parts[below(r, std::size(parts))];
    return text;
}

csv_dialect random_dialect(chance& r) {
    csv_dialect dialect;
    dialect.separator = ",;\t| "[below(r, 5)];
    dialect.quote = "\"'"[below(r, 2)];
    if (below(r, 6) == 0) dialect.separator = "\\x0:{"[below(r, 5)];
    if (below(r, 6) == 0) dialect.quote = "]el1"[below(r, 4)];
    if (below(r, 5) == 0) dialect.quote.reset();
    if (below(r, 4) == 0) dialect.delimiter = "\x1e\0n\xa9"[below(r, 4)];
    return dialect;
}

// The rows of a CSV text as our reader gives them, which is one JSON object of texts for each.
std::vector<std::string> read_back(const csv_dialect& dialect, const std::string& text) {
    csv_reader reader(dialect, 1 << 20);
    const std::unique_ptr<char[]> in(new char[text.size() + chunk_padding]);
    std::memcpy(in.get(), text.data(), text.size());
    std::memset(in.get() + text.size(), '"', chunk_padding);
    std::string_view unread(in.get(), text.size());
    std::vector<std::string> rows;
    for (;;) {
        std::vector<char> slab(reader.most_room(text.size()) + 4096 + chunk_padding);
        output_room out{slab.data(), slab.data() + slab.size() - chunk_padding};
        const look seen = reader.next(unread, true, out);
        if (seen.what != found::record) {
            CHECK(seen.what == found::more);
            return rows;
        }
        rows.emplace_back(slab.data(), static_cast<std::size_t>(out.at - slab.data()));
        unread.remove_prefix(seen.taken);
    }
}

}  // namespace

TEST_CASE("what is written as CSV is read back equal") {
    std::size_t refused = 0, rows = 0;
    for (unsigned seed = 0; seed < 4000; ++seed) {
        chance r(seed);
        const csv_dialect dialect = random_dialect(r);
        std::vector<std::string> columns;
        for (std::size_t n = 1 + below(r, 5); n > 0; --n) columns.push_back(random_text(r) + std::to_string(n));
        csv_writer writer(dialect, true, false);
        text_buffer to;
        std::vector<std::string> expected;
        for (std::size_t n = 1 + below(r, 6); n > 0; --n) {
            // The keys in any order but for the first record, some of them missing, null or no text.
            std::vector<std::size_t> order(columns.size());
            for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
            if (!expected.empty()) std::shuffle(order.begin(), order.end(), r);
            std::vector<std::string> means(columns.size());
            std::string record;
            bool any = false;
            for (const std::size_t i : order) {
                if (!expected.empty() && any && below(r, 6) == 0) continue;
                any = true;
                std::string value;
                switch (below(r, 8)) {
                    case 0: value = "null"; break;
                    case 1: value = means[i] = "-12345678901234567890.10e3"; break;
                    case 2: value = means[i] = "[1,\"a\\\"\\n,\",{\"b\":null}]"; break;
                    default: value = as_json(means[i] = random_text(r));
                }
                record += (record.empty() ? "{" : ",") + as_json(columns[i]) + (below(r, 2) ? ":" : " :\n") + value;
            }
            const std::string payload = record + "}";
            const std::unique_ptr<char[]> exact(new char[payload.size()]);
            std::memcpy(exact.get(), payload.data(), payload.size());
            const std::string_view why = writer.append({exact.get(), payload.size()}, to.size() == 0, to);
            if (!why.empty()) {
                CAPTURE(payload);
                CAPTURE(std::string(why));
                CHECK(!dialect.quote);
                ++refused;
                continue;
            }
            ++rows;
            std::string as_read;
            for (std::size_t i = 0; i < columns.size(); ++i)
                as_read += (i == 0 ? "{" : ",") + as_json(columns[i]) + ":" + as_json(means[i]);
            expected.push_back(as_read + "}");
        }
        CAPTURE(seed);
        CAPTURE(std::string(to.text()));
        CHECK(read_back(dialect, std::string(to.text())) == expected);
    }
    CHECK(rows > 8000);
    CHECK(refused > 500);
}
