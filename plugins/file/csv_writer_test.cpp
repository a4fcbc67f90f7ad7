#include "csv_writer.hpp"

#include <doctest/doctest.h>

#include <memory>

using namespace mqb::file;

namespace {

struct sheet {
    explicit sheet(csv_dialect dialect = {}, bool flatten = true, bool strict = false) : writer(std::move(dialect), flatten, strict) {}

    // The rows that the payloads become, or why not, in brackets.
    std::string operator()(std::initializer_list<std::string_view> payloads) {
        text_buffer rows;
        for (const std::string_view payload : payloads) {
            // Exactly as large, so that a look behind the end is seen.
            const std::unique_ptr<char[]> copy(new char[payload.size()]);
            if (!payload.empty()) std::memcpy(copy.get(), payload.data(), payload.size());
            const std::string_view why = writer.append({copy.get(), payload.size()}, first, rows);
            if (why.empty())
                first = false;
            else
                rows.append("<" + std::string(why) + ">");
        }
        return std::string(rows.text());
    }
    csv_writer writer;
    bool first = true;
};

csv_dialect with(char separator, std::optional<char> quote = '"', std::vector<std::string> columns = {}, char delimiter = '\n') {
    csv_dialect dialect;
    dialect.separator = separator;
    dialect.quote = quote;
    dialect.columns = std::move(columns);
    dialect.delimiter = delimiter;
    return dialect;
}

constexpr std::string_view first_record = R"({"id":1,"o":{"x":1,"y":{"z":[1,2]}},"s":"a,b","n":null,"t":true,"f":1.50})";

}  // namespace

TEST_CASE("the first record names the columns, and its values stand as written") {
    sheet s;
    CHECK(s({first_record}) == "id,o.x,o.y.z,s,n,t,f\n1,1,\"[1,2]\",\"a,b\",,true,1.50\n");
    CHECK(s.writer.take_warnings().empty());
    CHECK(s({R"({"id":2,"s":"q\"uote","extra":9})"}) == "2,,,\"q\"\"uote\",,,\n");
    CHECK(s.writer.take_warnings() == std::vector<std::string>{"the key 'extra' has no column", "the column 'o.x' has no value"});
    CHECK(s({R"({"id":3,"o":5,"s":"line\nbreak"})"}) == "3,,,\"line\nbreak\",,,\n");
    CHECK(s.writer.take_warnings().empty());  // said once
}

TEST_CASE("numbers keep every digit, booleans are words, arrays are JSON, null is as if it was not there") {
    sheet s;
    CHECK(s({R"({"a":123456789012345678901234567890.000100,"b":-0,"c":1e400,"d":false,"e":[ "x, y" , {"k": [ ]} ],"f":null,"g":""})"}) ==
          "a,b,c,d,e,f,g\n123456789012345678901234567890.000100,-0,1e400,false,\"[\"\"x, y\"\",{\"\"k\"\":[]}]\",,\n");
}

TEST_CASE("keys in any order, and twice, come to their column") {
    sheet s;
    CHECK(s({R"({"a":1,"b":2,"c":3})", R"({"c":6,"b":5,"a":4})", R"({"b":8,"c":9,"a":7})", R"({"a":1,"b":1,"c":1,"a":2})"}) ==
          "a,b,c\n1,2,3\n4,5,6\n7,8,9\n2,1,1\n");
    CHECK(s.writer.take_warnings() == std::vector<std::string>{"the key 'a' is there twice; the last counts"});
    sheet flat;
    CHECK(flat({R"({"a.b":1,"a":{"b":2},"c":3})"}) == "a.b,c\n2,3\n");
    CHECK(flat.writer.take_warnings() == std::vector<std::string>{"the key 'a.b' is there twice; the last counts"});
}

TEST_CASE("what is no object with something in it is refused, and names no columns") {
    sheet s;
    const std::string why = "<CSV format requires a non-empty JSON object payload>";
    for (const char* payload : {"", "not json", "[1]", "{}", "{\"a\":{}}", "{\"a\":1", "\"a\"", "{\"a\":1}x", "{\"a\":\"\xff\"}", "null"}) {
        CAPTURE(payload);
        CHECK(s({payload}) == why);
    }
    CHECK(s({R"({"b":1})", "{}", R"({"a":{}})"}) == "b\n1\n" + why + why);
    CHECK(s({R"({"c":1,"d":{"b":2}})"}) == "<none of the keys has a column>");
}

TEST_CASE("nested objects are JSON in one cell when asked") {
    sheet s(with(',', '"', {"id", "o", "s"}), false, true);
    CHECK(s({first_record}) == "id,o,s\n1,\"{\"\"x\"\":1,\"\"y\"\":{\"\"z\"\":[1,2]}}\",\"a,b\"\n");
    CHECK(s({R"({"id":2,"s":"x"})"}) == "<the column 'o' has no value>");
    CHECK(s({R"({"id":2,"o":{},"s":"x","extra":1})"}) == "2,{},x\n");  // what is not among the columns is left out on purpose
    CHECK(s({R"({"id":2,"o":null,"s":"x"})"}) == "2,,x\n");
}

TEST_CASE("with on_mismatch fail every key needs a column and every column a value") {
    sheet s({}, true, true);
    CHECK(s({R"({"a":1,"b":2})", R"({"a":1})", R"({"a":1,"b":2,"c":3})", R"({"a":1,"b":2,"a":3})", R"({"b":null,"a":4})"}) ==
          "a,b\n1,2\n<the column 'b' has no value><the key 'c' has no column><the key 'a' is there twice; the last counts>4,\n");
    CHECK(s.writer.take_warnings().empty());
}

TEST_CASE("configured columns are the columns, in their order") {
    sheet s(with('\t', '"', {"name", "id"}));
    CHECK(s({R"({"id":1,"name":"x\ty","more":2})"}) == "name\tid\n\"x\ty\"\t1\n");
    CHECK(s.writer.take_warnings().empty());
}

TEST_CASE("a cell is quoted when it holds what carries CSV syntax, and only then") {
    sheet s(with(';', '\''));
    CHECK(s({R"({"a;b":"it's","c":"a,b \"c\"","d":"x;y","e":"cr\r","f":"tab\t","g":"\u00e9\ud83d\ude00"})"}) ==
          "'a;b';c;d;e;f;g\n'it''s';a,b \"c\";'x;y';'cr\r';tab\t;\xc3\xa9\xf0\x9f\x98\x80\n");
    sheet other(with(',', '"', {}, '|'));
    CHECK(other({R"({"a":"x|y","b":"x\ny","c":"'"})"}) == "a,b,c|\"x|y\",\"x\ny\",'|");
    sheet odd(with('1'));
    CHECK(odd({R"({"a":210,"b":22})"}) == "a1b\n\"210\"122\n");
    const std::string text = std::string(5000, 'x') + "\"" + std::string(5000, 'y');
    CHECK(sheet()({"{\"a\":\"" + std::string(5000, 'x') + "\\\"" + std::string(5000, 'y') + "\",\"b\":1}"}) ==
          "a,b\n\"" + std::string(5000, 'x') + "\"\"" + std::string(5000, 'y') + "\",1\n");
}

TEST_CASE("without quotes a value that needs them is refused") {
    sheet s(with('|', std::nullopt));
    CHECK(s({R"({"a|b":1})"}) == "<the column 'a|b' cannot be written without quotes, and `quote` is none>");
    CHECK(s({R"({"a":"\"x\"","b":[1,2]})", R"({"a":"x|y","b":1})", R"({"a":1,"b":"x\ny"})", R"({"a":"z","b":0})"}) ==
          "a|b\n\"x\"|[1,2]\n<the value of 'a' cannot be written without quotes, and `quote` is none>"
          "<the value of 'b' cannot be written without quotes, and `quote` is none>z|0\n");
}

TEST_CASE("a row of one empty cell is still a row") {
    CHECK(sheet()({R"({"a":""})", R"({"a":null})", R"({"a":1})"}) == "a\n\"\"\n\"\"\n1\n");
    CHECK(sheet()({R"({"":"x"})"}) == "\"\"\nx\n");
    CHECK(sheet(with(',', std::nullopt))({R"({"a":"x"})", R"({"a":""})"}) ==
          "a\nx\n<the value of 'a' cannot be written without quotes, and `quote` is none>");
}

TEST_CASE("a first cell that begins like a byte order mark is quoted") {
    CHECK(sheet()({"{\"\\ufeffa\":\"\\ufeffb\",\"c\":\"\\ufeff\"}"}) ==
          "\"\xef\xbb\xbf"
          "a\",c\n\"\xef\xbb\xbf"
          "b\",\xef\xbb\xbf\n");
}

TEST_CASE("rows follow the columns of the file") {
    sheet s(with(',', '"', {"a", "b"}));
    s.first = false;
    s.writer.follow({"b", "c", "a"});
    CHECK(s({R"({"a":1,"b":2})"}) == "2,,1\n");
    CHECK(s.writer.take_warnings() == std::vector<std::string>{"the column 'c' has no value"});
}
