#include "listing.hpp"

#include "test_spool.hpp"

using namespace mqb::dir_spool;
using namespace mqb::dir_spool::testing;

namespace {

struct listed {
    explicit listed(const scratch& in, shards of = {}) : directory(in.spool()), with(of) { directory.open(false); }
    texts operator()(std::size_t most = 100, bool prunes = false, const texts& unwanted = {}) {
        last = list_chunks(directory, files, with, most, prunes,
                           [&](std::string_view name) { return std::ranges::find(unwanted, name) == unwanted.end(); });
        CHECK(last.error == 0);
        return last.payloads;
    }
    spool_directory directory;
    chunk_files files{"bin", "json"};
    shards with;
    listing last;
};

}  // namespace

TEST_CASE("payloads are listed in the order of their names, and nothing else is") {
    const scratch dir;
    for (const char* name : {"10.bin", "2.bin", "1.bin", "1.json", "3.bin.tmp", "4.bin.refused", "DONE", "x.txt", ".bin"})
        dir.write(name, "");
    fs::create_directory(dir / "5.bin");
    REQUIRE(::mkfifo((dir / "6.bin").c_str(), 0600) == 0);
    fs::create_symlink("1.bin", dir / "7.bin");
    listed list(dir);
    CHECK(list() == texts{"1.bin", "10.bin", "2.bin"});
    CHECK_FALSE(list.last.has_more);
    CHECK(list.last.has_strange_directories);
    CHECK(list(100, false, {"10.bin"}) == texts{"1.bin", "2.bin"});
}

TEST_CASE("so many are listed and no more, and the first of them") {
    const scratch dir;
    for (int i = 0; i < 300; ++i) dir.write(std::to_string(1000 + (i * 7919) % 300) + ".bin", "");
    listed list(dir);
    for (const std::size_t most : {1, 7, 299, 300, 301}) {
        const texts found = list(most);
        CHECK(found.size() == std::min<std::size_t>(most, 300));
        CHECK(list.last.has_more == (most < 300));
        for (std::size_t i = 0; i < found.size(); ++i) CHECK(found[i] == std::to_string(1000 + i) + ".bin");
    }
}

TEST_CASE("shards are walked in the order of the paths, over as many directories as there are") {
    const scratch dir;
    const shards two{2, 2};
    texts all;
    for (int i = 0; i < 400; i += 3) {
        const std::string number = std::to_string(10000 + i).substr(1);
        all.push_back(number.substr(0, 2) + "/" + number.substr(2) + "/" + "7.bin");
        dir.write(all.back(), "");
    }
    dir.write("00/1.bin", "");  // beside the shards of the next level
    dir.write("000.bin", "");
    all.push_back("00/1.bin");
    all.push_back("000.bin");
    std::ranges::sort(all);
    listed list(dir, two);
    CHECK(list(1000) == all);
    CHECK_FALSE(list.last.has_strange_directories);
    for (std::size_t most = 1; most < all.size(); most += 11)
        CHECK(list(most) == texts(all.begin(), all.begin() + static_cast<long>(most)));
    // Another width or depth sees the directories and says so.
    listed other(dir, {2, 3}), flat(dir);
    CHECK(other() == texts{"000.bin"});
    CHECK(other.last.has_strange_directories);
    CHECK(flat() == texts{"000.bin"});
    CHECK(flat.last.has_strange_directories);
}

TEST_CASE("directories without chunks do not hide what is behind them, and are removed when they are empty") {
    const scratch dir;
    for (int i = 10; i < 40; ++i) fs::create_directories(dir / (std::to_string(i) + "/00"));
    dir.write("12/00/foreign", "");
    dir.write("50/00/1.bin", "");
    dir.write("60/00/1.bin", "");
    listed list(dir, {2, 2});
    CHECK(list(1) == texts{"50/00/1.bin"});
    CHECK(fs::exists(dir / "39/00"));
    CHECK(list(2, true) == texts{"50/00/1.bin", "60/00/1.bin"});
    CHECK(dir.files() == texts{"12/", "12/00/", "12/00/foreign", "50/", "50/00/", "50/00/1.bin", "60/", "60/00/", "60/00/1.bin"});
}
