#include "core/structural/switch.hpp"

#include "core/structural/branches_test.hpp"
#include "core/structural/switch_publisher.hpp"

#include <optional>

using namespace mqb::core;

namespace {

using strings = std::vector<std::string>;

constexpr const char* by_kind = R"({"metadata_key":"kind","cases":{"a/b":null,"y":null},"when":[],"default":null})";
const strings kinds = {"/cases/a~1b", "/cases/y", "/default"};
constexpr const char* by_size =
    R"j({"metadata_key":"","cases":{},"when":[{"if":"n > 10","to":null},{"if":"meta.kind == 'y'","to":null}]})j";
const strings sizes = {"/when/0/to", "/when/1/to"};

struct setting : branch_setting {
    setting(std::string_view config, const strings& all, bool keeps_order = false) {
        std::vector<failure> mistakes;
        auto choice = switch_choice::read(config, all, mistakes);
        REQUIRE(choice.has_value());
        top.emplace(make(all.size()), keeps_order, std::move(*choice));
    }
    std::optional<switch_publisher> top;
};

// Messages whose metadata say what kind they are.
struct kinds_send : named_send {
    kinds_send(std::string letters, const strings& all) : named_send(std::move(letters)) {
        for (std::size_t i = 0; i < all.size(); ++i) {
            const text_edit kind[] = {{"kind", all[i]}};
            blocks.push_back(edited({}, kind));
            messages_[i].metadata = blocks.back().get();
        }
    }
    std::vector<counted_block> blocks;
};

buffer payload(std::string_view text) { return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size(), nullptr}; }

// What a mistake in a configuration says, and where.
strings mistakes_in(std::string_view config) {
    strings out;
    for (const failure& f : switch_factory{}.mistakes(config, publisher_side))
        out.push_back(f.where + ": " + f.text + (f.excerpt.empty() ? "" : '\n' + f.excerpt));
    return out;
}

}  // namespace

TEST_CASE("each message takes the branch of what its metadata say, the others the default; the order within a branch is kept") {
    setting s{by_kind, kinds};
    for (std::size_t i = 0; i < 3; ++i) s.script(i, {std::string(i == 0 ? 2 : i == 1 ? 3 : 2, 'd')});
    kinds_send x{"abcdefg", {"y", "a/b", "y", "Y", "a/b", "", "y"}};
    s.run(*s.top, x);
    CHECK(x.answers == std::vector{status::ok});
    CHECK(x.results() == "ddddddd");
    CHECK(s.log(0) == strings{"be"});
    CHECK(s.log(1) == strings{"acg"});
    CHECK(s.log(2) == strings{"df"});
}

TEST_CASE("a value that is no text is looked up as the text that it is") {
    struct entry {
        std::uint8_t type;
        std::string bytes;
    };
    const std::string two_hundred{"\xc8\0\0\0\0\0\0\0", 8};
    for (const auto& [type, bytes, matches] : {std::tuple{4, two_hundred, true},
                                               {3, std::string{"\1"}, false},
                                               {1, std::string{"200"}, true},
                                               {0, std::string{}, false},
                                               {2, std::string{"200 "}, false},
                                               {2, std::string{"\xff"}, false},
                                               {7, std::string{"200"}, true},
                                               {99, std::string{"200"}, false}}) {
        setting s{R"({"metadata_key":"kind","cases":{"200":null}})", {"/cases/200"}};
        std::string block{static_cast<char>(type), '\0', 4, 0, static_cast<char>(bytes.size()), 0, 0, 0};
        block += "kind" + bytes;
        named_send x{"a"};
        x.messages_[0].metadata = payload(block);
        s.script(0, {"d"});
        s.run(*s.top, x);
        const int of_type = type;
        CAPTURE(of_type);
        CHECK(x.results() == (matches ? "d" : "r"));
    }
}

TEST_CASE("without a default what nothing matches is refused for good, with the reason; the rest goes on") {
    setting s{R"({"metadata_key":"kind","cases":{"x":null}})", {"/cases/x"}};
    kinds_send x{"abc", {"z", "x", ""}};
    s.script(0, {"d"});
    s.run(*s.top, x);
    CHECK(x.results() == "rdr");
    CHECK(x.texts.of(0) == "unmatched: the switch has no case for what the metadata \"kind\" says, and no default");
    CHECK(s.log(0) == strings{"b"});
    kinds_send none{"ab", {"z", "z"}};
    s.run(*s.top, none);
    CHECK(none.results() == "rr");
    CHECK(none.answers == std::vector{status::ok});
    CHECK(s.log(0).size() == 1);  // an empty send would be a flush
}

TEST_CASE("conditions are tried in their order; one without an answer refuses the message; one of metadata never looks at the payload") {
    setting s{by_size, sizes};
    kinds_send x{"abcd", {"", "y", "y", ""}};
    x.messages_[0].payload = payload(R"({"n":11})");
    x.messages_[1].payload = payload(R"({"n":12})");
    x.messages_[2].payload = payload(R"({"n":1})");
    x.messages_[3].payload = payload(R"({"n":"word"})");
    s.script(0, {"dd"});
    s.script(1, {"d"});
    s.run(*s.top, x);
    CHECK(x.results() == "dddr");
    CHECK(x.texts.of(3).starts_with("switch: when[0]: "));
    CHECK(s.log(0) == strings{R"({"n":11}{"n":12})"});
    CHECK(s.log(1) == strings{R"({"n":1})"});
    kinds_send unmatched{"a", {""}};
    unmatched.messages_[0].payload = payload(R"({"n":1})");
    s.run(*s.top, unmatched);
    CHECK(unmatched.results() == "r");
    CHECK(unmatched.texts.of(0) == "unmatched: no condition of the switch holds, and it has no default");

    setting metadata_alone{R"j({"when":[{"if":"meta.kind == 'y'","to":null}]})j", {"/when/0/to"}};
    kinds_send y{"a", {"y"}};
    y.messages_[0].payload = payload("no JSON");
    metadata_alone.script(0, {"d"});
    metadata_alone.run(*metadata_alone.top, y);
    CHECK(y.results() == "d");
}

TEST_CASE("what all goes one way is given on as it is") {
    setting s{by_kind, kinds};
    kinds_send x{"abc", {"y", "y", "y"}};
    s.script(1, {"dar"});
    s.run(*s.top, x);
    CHECK(s.at[1]->list_of_last == x.messages_.data());
    CHECK(s.log(0).empty());
    CHECK(s.log(2).empty());
    CHECK(x.results() == "dar");
    CHECK(x.texts.of(1) == "output.y: no a");
    CHECK(x.texts.of(2) == "output.y: no r");
}

TEST_CASE("all parts are sent at once; outcomes, texts and responses come back to where their messages are, whatever comes first") {
    for (const bool first_is_first : {true, false})
        for (const std::string letters : {"dddd", "aafr", "r?ue", "uaud"}) {
            setting s{by_kind, kinds};
            kinds_send x{"abcd", {"y", "a/b", "y", "a/b"}};
            static std::map<std::uint32_t, std::string> responses;
            responses.clear();
            x.answer = [](send_call&, std::uint32_t i, const message& m) { responses[i] = m.payload.text(); };
            s.run(*s.top, x);
            CHECK(s.log(0) == strings{"bd"});
            CHECK(s.log(1) == strings{"ac"});
            CHECK(x.answers.empty());
            s.at[0]->respond(1, "for d");
            s.at[1]->respond(0, "for a");
            const std::string of_first{letters[1], letters[3]}, of_second{letters[0], letters[2]};
            if (first_is_first) s.at[0]->by.answer(of_first);
            s.at[1]->by.answer(of_second);
            CHECK(x.answers.empty() == !first_is_first);
            if (!first_is_first) s.at[0]->by.answer(of_first);
            CHECK(x.answers == std::vector{status::ok});
            CHECK(x.results() == letters);
            CHECK(responses == std::map<std::uint32_t, std::string>{{0, "for a"}, {3, "for d"}});
            for (std::uint32_t i = 0; i < 4; ++i) {
                const std::string branch = i % 2 == 0 ? "output.y: no " : "output.x: no ";
                CHECK(x.texts.of(i) == (letters[i] == 'd' || letters[i] == 'f' || letters[i] == 'u' ? "" : branch + letters[i]));
            }
        }
}

TEST_CASE("a part that fails as a whole does not touch the others, and its text is that of its messages alone") {
    setting s{by_kind, kinds};
    kinds_send x{"abcd", {"y", "a/b", "z", "y"}};
    s.run(*s.top, x);
    s.at[0]->by.answer("d");
    s.at[2]->by.answer("r");
    s.at[1]->by.pending.front()->texts.set(whole_call, "the disk is full");
    s.at[1]->by.answer("uu", status::retry);
    CHECK(x.results() == "udru");
    CHECK(x.answers == std::vector{status::retry});
    CHECK(x.texts.best(0) == "output.y: the disk is full");
    CHECK(x.texts.best(2) == "output.z: no r");
    CHECK(x.texts.best(3) == "output.y: the disk is full");
}

TEST_CASE("several sends are under way at once, and each has its own parts") {
    setting s{by_kind, kinds};
    kinds_send x{"ab", {"y", "a/b"}}, y{"cd", {"y", "a/b"}};
    s.run(*s.top, x);
    s.run(*s.top, y);
    CHECK(s.log(1) == strings{"a", "c"});
    s.at[1]->by.answer("r");
    s.at[1]->by.answer("d");
    s.at[0]->by.answer("d");
    CHECK(x.results() == "rd");
    CHECK(x.answers.size() == 1);
    CHECK(y.answers.empty());
    s.at[0]->by.answer("a");
    CHECK(y.results() == "da");
}

TEST_CASE("where the order of what is sent again is kept a branch that has failed gets nothing until the caller has heard of it") {
    setting s{by_kind, kinds, true};
    kinds_send x{"ab", {"y", "z"}}, y{"cd", {"y", "z"}}, z{"e", {"y"}};
    s.run(*s.top, x);
    s.at[1]->by.answer("a");
    s.run(*s.top, y);
    s.run(*s.top, z);
    CHECK(z.results() == "u");
    CHECK(z.answers == std::vector{status::ok});
    CHECK(s.log(1) == strings{"a"});
    CHECK(s.log(2) == strings{"b", "d"});
    s.at[2]->by.answer("d");
    s.at[2]->by.answer("d");
    CHECK(x.results() == "ad");
    CHECK(y.results() == "ud");
    kinds_send all{"ace", {"y", "y", "y"}};
    s.run(*s.top, all);
    CHECK(s.log(1) == strings{"a", "ace"});
}

TEST_CASE("there is one way to choose, and all mistakes of a configuration are told with their places") {
    const std::string ways = "a switch looks up the metadata_key in its cases, or tries the conditions under when";
    CHECK(mistakes_in(R"({"metadata_key":"k","cases":{"a":null},"when":[{"if":"a == 1","to":null}]})") ==
          strings{"/when: not both: " + ways});
    CHECK(mistakes_in(R"({"cases":{"a":null},"when":[{"if":"a == 1","to":null}]})") == strings{"/when: not both: " + ways});
    CHECK(mistakes_in(R"({"metadata_key":"","cases":{},"when":[]})") == strings{": says nothing of how to choose: " + ways});
    CHECK(mistakes_in(R"({"default":null})") == strings{": says nothing of how to choose: " + ways});
    CHECK(mistakes_in(R"({"cases":{"a":null}})") == strings{"/cases: cases need the metadata_key that they are values of"});
    CHECK(mistakes_in(R"({"metadata_key":"k"})") == strings{"/metadata_key: needs cases or a default"});
    CHECK(mistakes_in(R"({"metadata_key":"k","default":null})").empty());
    CHECK(mistakes_in(R"({"when":[{"if":"a >","to":null},{"if":"a == 1","to":null},{"if":"b(","to":null}]})") ==
          strings{"/when/0/if: the expression ends where a value is missing\n  a >\n     ^",
                  "/when/2/if: there is no function \"b\"\n  b(\n  ^"});
    CHECK(switch_factory{}.promise(R"({"default":null})", publisher_side).error().what == status::bad_config);
}
