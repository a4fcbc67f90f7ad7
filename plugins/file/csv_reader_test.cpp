#include "csv_reader.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <memory>

using namespace mqb::file;
using rows = std::vector<std::string>;

namespace {

// Memory of just the size that a text and its padding have, so that the sanitizer sees a step too far.
struct padded {
    explicit padded(std::string_view text) : bytes(new char[text.size() + chunk_padding]), size(text.size()) {
        std::memcpy(bytes.get(), text.data(), size);
        std::memset(bytes.get() + size, '"', chunk_padding);
    }
    std::string_view text() const { return {bytes.get(), size}; }
    std::unique_ptr<char[]> bytes;
    std::size_t size;
};

struct result {
    rows records;
    std::vector<std::size_t> begins;
    std::vector<std::size_t> sizes;
    std::vector<found> errors;
    std::vector<std::string> wrong;
    unsigned oddities = 0;
    std::size_t no_room = 0;
};

// Reads in pieces, with an output that begins with `room` and is doubled when it says so.
result read(csv_dialect dialect, std::string_view text, std::size_t piece = 1 << 20, std::size_t room = 1 << 16,
            std::size_t longest = 1 << 20) {
    csv_reader reader(std::move(dialect), longest);
    result all;
    std::string unread;
    std::size_t position = 0;
    for (;;) {
        const bool last = text.empty();
        const padded block(unread);
        std::vector<char> slab(room + chunk_padding, '?');
        output_room out{slab.data(), slab.data() + room};
        const look seen = reader.next(block.text(), last, out);
        const std::string written(slab.data(), static_cast<std::size_t>(out.at - slab.data()));
        if (seen.what == found::record) {
            all.records.push_back(written);
            all.begins.push_back(position + seen.begin);
            all.sizes.push_back(seen.size);
        } else {
            CHECK(written.empty());
        }
        if (seen.what == found::wrong_type) all.wrong.push_back(reader.why_wrong());
        if (is_broken(seen.what)) all.errors.push_back(seen.what);
        if (seen.what == found::no_room) {
            ++all.no_room;
            room *= 2;
        }
        all.oddities |= reader.take_oddities();
        unread.erase(0, seen.taken);
        position += seen.taken;
        if (seen.what != found::more && seen.what != found::too_much) continue;
        if (last) return all;
        unread += text.substr(0, piece);
        text.remove_prefix(std::min(piece, text.size()));
    }
}

constexpr std::string_view of_the_contract =
    "a,b,c\n1,\"x,y\",z\n2,\"he said \"\"hi\"\"\",\n3,short\n4,q,r,extra\n\"5\",\"multi\nline\",end\n";
const rows rows_of_the_contract{R"({"a":"1","b":"x,y","c":"z"})", R"({"a":"2","b":"he said \"hi\"","c":""})",
                                R"({"a":"3","b":"short","c":""})", R"({"a":"4","b":"q","c":"r"})",
                                R"({"a":"5","b":"multi\nline","c":"end"})"};

}  // namespace

TEST_CASE("rows become objects as the contract says, in pieces and rooms of every size") {
    for (std::size_t piece = 1; piece <= of_the_contract.size(); ++piece) {
        const result all = read({}, of_the_contract, piece, 1 << 16);
        CHECK(all.records == rows_of_the_contract);
        CHECK(all.oddities == (short_row | long_row));
        CHECK(all.begins == std::vector<std::size_t>{6, 16, 36, 44, 56});
    }
    for (std::size_t room = 1; room < 400; ++room) CHECK(read({}, of_the_contract, 13, room).records == rows_of_the_contract);
}

TEST_CASE("CRLF ends a row, a CR elsewhere is data, and so is CR LF inside quotes") {
    CHECK(read({}, "id,n\r\n1,Anna\r\n\r\n\n\"2\",\"B\"\r\n\"q\r\nr\",lone\rcr\r\r\nx,y\r", 3).records ==
          rows{R"({"id":"1","n":"Anna"})", R"({"id":"2","n":"B"})", R"({"id":"q\r\nr","n":"lone\rcr\r"})", R"({"id":"x","n":"y"})"});
}

TEST_CASE("a blank line is no row, but one with a space or empty quotes is") {
    CHECK(read({}, "a\n\n \n\"\"\n\r\nx").records == rows{R"({"a":" "})", R"({"a":""})", R"({"a":"x"})"});
}

TEST_CASE("quotes that open no field are data, and so is what stands behind a closing one") {
    CHECK(read({}, "a,b\nm\"i\"d,2\n\"x\"yz,1\n\"a\"\"b\"c\"\",9\n  \"sp\" ,6\n", 2).records ==
          rows{R"({"a":"m\"i\"d","b":"2"})", R"({"a":"xyz","b":"1"})", R"({"a":"a\"bc\"\"","b":"9"})", R"({"a":"  \"sp\" ","b":"6"})"});
}

TEST_CASE("separator, quote, delimiter and columns can be chosen") {
    csv_dialect headless;
    headless.separator = ';';
    headless.quote = '\'';
    headless.header = false;
    headless.columns = {"id", "name", "note"};
    CHECK(read(headless, "1;'Ann; B';x\n2;Bob;\n3;'O''Neil'").records == rows{R"({"id":"1","name":"Ann; B","note":"x"})",
                                                                              R"({"id":"2","name":"Bob","note":""})",
                                                                              R"({"id":"3","name":"O'Neil","note":""})"});

    csv_dialect guessed;
    guessed.separator.reset();
    CHECK(read(guessed, "id;name;name\n1;\"Ann; B\";x\n2;Bob\n", 1).records ==
          rows{R"({"id":"1","name":"Ann; B","name_2":"x"})", R"({"id":"2","name":"Bob","name_2":""})"});

    csv_dialect both;  // guessed from a first row that is data
    both.separator.reset();
    both.header = false;
    both.columns = {"x", "y"};
    CHECK(read(both, "1|2\n3|4\n", 2).records == rows{R"({"x":"1","y":"2"})", R"({"x":"3","y":"4"})"});

    csv_dialect renamed;
    renamed.columns = {"x", "y"};
    CHECK(read(renamed, "a,b\n1,2\n").records == rows{R"({"x":"1","y":"2"})"});

    csv_dialect delimited;
    delimited.delimiter = ';';
    CHECK(read(delimited, "a,b;1,\"2;\"\n;3\r,4", 1).records == rows{R"({"a":"1","b":"2;\n"})", R"({"a":"3\r","b":"4"})"});

    csv_dialect unquoted;
    unquoted.quote.reset();
    CHECK(read(unquoted, "a,b\n\"1,2\"\n").records == rows{R"({"a":"\"1","b":"2\""})"});
}

TEST_CASE("a column with a type holds values of it, null where it is empty; a cell of another type is an error of its row alone") {
    csv_dialect typed;
    typed.types = {{"id", csv_type::integer}, {"amount", csv_type::number}, {"active", csv_type::boolean}};
    const std::string text =
        "id,name,amount,active\n1,Ann,1.50,1\n \"2\" ,B,+3e2,0\n\"2\",B,+3e2,0\n3,\"C, "
        "D\",x,true\n4,E,,\n5,F\n6,G,7,no,extra\n7,H,-0.0,true";
    const rows expected{R"({"id":1,"name":"Ann","amount":1.50,"active":true})", R"({"id":2,"name":"B","amount":3e2,"active":false})",
                        R"({"id":4,"name":"E","amount":null,"active":null})", R"({"id":5,"name":"F","amount":null,"active":null})",
                        R"({"id":7,"name":"H","amount":-0.0,"active":true})"};
    const rows wrong{"the cell of column 'id' is no integer", "the cell of column 'amount' is no number",
                     "the cell of column 'active' is no boolean"};
    for (std::size_t piece = 1; piece <= text.size(); ++piece) {
        const result all = read(typed, text, piece);
        CHECK(all.records == expected);
        CHECK(all.wrong == wrong);
        CHECK(all.errors == std::vector<found>(3, found::wrong_type));
        CHECK(all.oddities == short_row);
    }
    for (std::size_t room = 1; room < 400; ++room) CHECK(read(typed, text, 13, room).records == expected);

    typed.types = {{"a", csv_type::boolean}, {"b", csv_type::boolean}, {"c", csv_type::boolean}};  // all grow
    for (std::size_t room = 1; room < 200; ++room)
        CHECK(read(typed, "a,b,c\n0,0,0\n\n,\n", 100, room).records ==
              rows{R"({"a":false,"b":false,"c":false})", R"({"a":null,"b":null,"c":null})"});
    typed.types = {{"b", csv_type::number}, {"none", csv_type::number}};
    CHECK(read(typed, "a,b\nx,2\n").records == rows{R"({"a":"x","b":2})"});
    CHECK(read(typed, "a,b\nx,2\n").oddities == unknown_type);
}

TEST_CASE("bytes that are not UTF-8 are replaced, and said once") {
    const result all = read({}, "a,b\nraw\xc3\x28,5\nfine\xc3\xa9,6\n");
    CHECK(all.records == rows{"{\"a\":\"raw\xef\xbf\xbd(\",\"b\":\"5\"}", "{\"a\":\"fine\xc3\xa9\",\"b\":\"6\"}"});
    CHECK(all.oddities == not_utf8);
    for (std::size_t room = 100; room < 200; ++room) CHECK(read({}, "a\n\xff\xff\xff\xff\xff\n", 100, room).records.size() == 1);
}

TEST_CASE("control characters and backslashes are escaped, in quotes and outside") {
    CHECK(read({}, "a,b\n\"t\tb\\\x01\",\t\\\x02\n").records == rows{R"({"a":"t\tb\\\u0001","b":"\t\\\u0002"})"});
}

TEST_CASE("a file that ends inside quotes tells so") {
    for (std::size_t piece = 1; piece < 20; ++piece) {
        const result all = read({}, "a,b\n1,2\n3,\"open\n4,5\n", piece);
        CHECK(all.records == rows{R"({"a":"1","b":"2"})"});
        CHECK(all.errors == std::vector{found::open_quote});
    }
}

TEST_CASE("a row that is too long is an error, and the rows behind it are read") {
    const std::string text = "a,b\n1,2\nx,\"" + std::string(500, 'l') + "\n\",z\n3,4\n";
    for (const std::size_t piece : {1U, 7U, 99U, 5000U}) {
        const result all = read({}, text, piece, 1 << 16, 100);
        CHECK(all.records == rows{R"({"a":"1","b":"2"})", R"({"a":"3","b":"4"})"});
        CHECK(all.errors == std::vector{found::too_long});
    }
}

TEST_CASE("a header alone, or nothing, gives no rows") {
    CHECK(read({}, "a,b\n").records.empty());
    CHECK(read({}, "a,b").records.empty());
    CHECK(read({}, "").records.empty());
    CHECK(read({}, "\n\r\n\r").records.empty());
}

TEST_CASE("a long field grows the room by doubling, without losing anything") {
    const std::string field(3000, '\x01');
    const result all = read({}, "a\n" + field + "\nx\n", 100, 64);
    CHECK(all.records.size() == 2);
    CHECK(all.records[0].size() == 8 + 3000 * 6);
    CHECK(all.no_room < 12);
}
