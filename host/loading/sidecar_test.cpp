#include "host/loading/sidecar.hpp"

#include <doctest/doctest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <fstream>

using namespace mqb::loading;

namespace {

struct fixture {
    fixture() {
        std::string name = "/tmp/mqb-sidecar-" + std::string(6, 'X');
        dir = ::mkdtemp(name.data());
        facts.size = 1234;
        facts.build_id = "ab12";
    }
    ~fixture() { std::filesystem::remove_all(dir); }
    std::string warning_for(const std::string& json) {
        std::ofstream{dir / "libmqb_x.json"} << json;
        const sidecar s = read_sidecar(dir / "libmqb_x.so", facts);
        CHECK(s.is_valid == s.warning.empty());
        const std::string front = (dir / "libmqb_x.json").string() + ": ignored, since ";
        return s.warning.starts_with(front) ? s.warning.substr(front.size()) : s.warning;
    }
    std::filesystem::path dir;
    elf_facts facts;
};

const std::string rest = R"("name":"x","version":"1","draft":1,"licence":"MIT",
    "offers":[{"kind":"endpoint","name":"x","sides":["consumer","publisher"]},{"kind":"store","name":"y","sides":[]}]})";

}  // namespace

TEST_CASE_FIXTURE(fixture, "no index is no warning") {
    const sidecar s = read_sidecar(dir / "libmqb_x.so", facts);
    CHECK_FALSE(s.is_valid);
    CHECK(s.warning.empty());
}

TEST_CASE_FIXTURE(fixture, "an index of this very file tells what it offers") {
    CHECK(warning_for(R"({"file":"libmqb_x.so","size":1234,"build_id":"ab12",)" + rest).empty());
    const sidecar s = read_sidecar(dir / "libmqb_x.so", facts);
    CHECK(s.about.name == "x");
    CHECK(s.about.draft == 1);
    CHECK(s.about.offers == std::vector<offer>{{offer_kind::endpoint, "x", 3}, {offer_kind::store, "y", 0}});
}

TEST_CASE_FIXTURE(fixture, "an index that does not fit is ignored with a warning") {
    CHECK(warning_for(R"({"file":"libmqb_x.so","size":99,"build_id":"ab12",)" + rest) == "its size is not that of the library");
    CHECK(warning_for(R"({"file":"libmqb_x.so","build_id":"ab12",)" + rest) == "its size is not that of the library");
    CHECK(warning_for(R"({"file":"libmqb_x.so","size":1234,"build_id":"ff",)" + rest) == "its build id is not that of the library");
    CHECK(warning_for(R"({"file":"libmqb_z.so","size":1234,"build_id":"ab12",)" + rest) == "it speaks of another file");
    CHECK(warning_for("{\"size\"") == "it is not a JSON object");
    CHECK(warning_for("[]") == "it is not a JSON object");
    CHECK(warning_for(R"({"size":1234,"build_id":"ab12","name":"x","draft":1})") == "the description has no offers");
    CHECK(warning_for(R"({"size":1234,"build_id":"ab12","draft":1,"offers":[]})") == "the description has no name or no draft number");
    CHECK(warning_for(R"({"size":1234,"build_id":"ab12","name":"x","draft":1,"offers":[{"kind":"what","name":"x"}]})") ==
          "the description has a bad offer");
    CHECK(warning_for(std::string(2u << 20, ' ')) == "it is too long");
}

TEST_CASE_FIXTURE(fixture, "a pipe in place of an index is not waited for") {
    REQUIRE(::mkfifo((dir / "libmqb_x.json").c_str(), 0600) == 0);
    const sidecar s = read_sidecar(dir / "libmqb_x.so", facts);
    CHECK_FALSE(s.is_valid);
    CHECK(s.warning == (dir / "libmqb_x.json").string() + ": ignored, since it is not a regular file");
}
