#include "host/state/sqlite_dead_letters.hpp"
#include "host/state/state_test.hpp"

#include <fstream>

using namespace mqb::state;
using mqb::core::status;
namespace fs = std::filesystem;

TEST_CASE("a store with a damaged page is told when it is opened, wherever the page is") {
    scratch_folder in;
    const fs::path sound = in.path() / "sound.db", file = in.path() / "letters.db";
    {
        auto store = sqlite_dead_letters::open(sound);
        REQUIRE(store.has_value());
        route_side side;
        REQUIRE(bury(*(*store)->open("orders", 0, side.box, side.log), side, test_letters{1, 60}.letters) == status::ok);
    }
    const auto pages = fs::file_size(sound) / 4096;
    REQUIRE(pages >= 4);
    for (std::uintmax_t page = 1; page < pages; ++page) {
        fs::copy_file(sound, file, fs::copy_options::overwrite_existing);
        {
            std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
            bytes.seekp(static_cast<std::streamoff>(page * 4096));
            bytes << std::string(64, '\x55');
        }
        CAPTURE(page);
        const auto store = sqlite_dead_letters::open(file);
        REQUIRE(!store.has_value());
        CHECK(store.error().text.starts_with(file.string() + ": is damaged or no database: move it away"));
    }
}
