#include "read_mark.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "test_host.hpp"

using namespace mqb::file;
using namespace mqb::file::testing;

namespace {

struct opened {
    explicit opened(const std::string& path) : descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
    ~opened() { ::close(descriptor); }
    int descriptor;
};

}  // namespace

TEST_CASE("a mark knows the file however it was read, and no other one") {
    scratch dir;
    std::string text;
    for (int i = 0; i < 500; ++i) text += std::to_string(i) + "\n";
    write_file(dir / "in", text);
    const opened file(dir / "in");
    for (const std::size_t piece : {1U, 7U, 63U, 64U, 65U, 1000U, 1024U, 5000U}) {
        read_mark mark;
        mark.start(file.descriptor, 0);
        CHECK_FALSE(mark.tells());
        CHECK(mark.holds_in(file.descriptor));
        for (std::size_t at = 0; at < text.size(); at += piece) {
            mark.add(std::string_view(text).substr(at, piece));
            REQUIRE(mark.holds_in(file.descriptor));
        }
        CHECK(mark.tells());
        read_mark later;
        later.start(file.descriptor, text.size());
        CHECK(later.holds_in(file.descriptor));
        for (const std::size_t changed : {std::size_t{0}, std::size_t{1023}, text.size() - 64, text.size() - 1}) {
            std::string other = text + "more\n";
            write_file(dir / "other", other);
            const opened longer(dir / "other");
            CHECK(mark.holds_in(longer.descriptor));
            other[changed] = 'x';
            write_file(dir / "other", other);
            const opened different(dir / "other");
            CHECK_FALSE(mark.holds_in(different.descriptor));
            CHECK_FALSE(later.holds_in(different.descriptor));
        }
        write_file(dir / "other", text.substr(0, text.size() - 1));
        const opened shorter(dir / "other");
        CHECK_FALSE(mark.holds_in(shorter.descriptor));
    }
}
