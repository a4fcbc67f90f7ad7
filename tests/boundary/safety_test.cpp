// What somebody else may do to a library while it is looked at: pipes, exchanges, open folders, ends that do not come.
#include "host/loading/library.hpp"
#include "host/loading/sha256.hpp"
#include "plugin_folder.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>

using namespace mqb;
using namespace mqb::boundary;
using namespace mqb::loading;

TEST_CASE("a library whose destructor never ends is described all the same") {
    const plugin_folder folder;
    const fs::path file = folder.add("lingers", "lingers");
    auto about = plugin_folder::describing(std::chrono::seconds{20}).describe(file);
    REQUIRE(about.has_value());
    CHECK(about->name == "lingers");
}

TEST_CASE("a child that answers and then does not end is killed at the limit") {
    const plugin_folder folder;
    const fs::path script = folder.dir / "linger.sh";
    std::ofstream{script} << "#!/bin/sh\necho '{}'\nexec >&- 2>&-\nexec sleep 600\n";
    fs::permissions(script, fs::perms::owner_all);
    const fs::path file = folder.add("small", "small");
    auto about = describer{{script.string()}, std::chrono::milliseconds{400}}.describe(file);
    REQUIRE_FALSE(about.has_value());
    CHECK(about.error().text == file.string() + ": did not come back within 400 ms when it was opened");
}

TEST_CASE("a pipe in place of a library is not waited for") {
    const plugin_folder folder;
    const fs::path pipe = folder.dir / "libmqb_small.so";
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    CHECK(sha256_of_file(pipe).empty());
    plugin_catalogue catalogue = folder.catalogue();
    const std::vector<catalogue_entry> all = catalogue.list(true);
    REQUIRE(all.size() == 1);
    CHECK(all[0].why == "is not a regular file");
}

TEST_CASE("a file that was exchanged or written after it had been checked is not opened") {
    const plugin_folder folder;
    const fs::path file = folder.add("small", "small");
    plugin_folder::add_index(file, "small", "small");
    plugin_catalogue catalogue = folder.catalogue();
    fs::rename(folder.add("small", "other"), file);
    auto found = catalogue.find_endpoint("small");
    REQUIRE_FALSE(found.has_value());
    CHECK(found.error().text == "the endpoint \"small\" cannot be used: " + file.string() + ": was changed after it had been checked");
}

TEST_CASE("a folder beside the binary that others may write is not trusted") {
    const plugin_folder folder;
    const fs::path file = folder.add("small", "small", "bin/deep");
    const fs::path bin = folder.dir / "bin";
    std::ofstream{bin / "deep" / "mqbridge"} << "x";
    search_options beside;
    beside.binary = bin / "deep" / "mqbridge";
    auto why = [&] {
        plugin_catalogue catalogue = folder.catalogue(beside, plugin_folder::describing());
        auto found = catalogue.find_endpoint("small");
        return found ? "found" : found.error().text;
    };
    CHECK(why() == "found");
    const std::string front = "the endpoint \"small\" cannot be used: " + file.string() + ": is not trusted: ";
    ::chmod(file.parent_path().c_str(), 0777);
    CHECK(why() == front + file.parent_path().string() + " may be written by everybody");
    ::chmod(file.parent_path().c_str(), 0755);
    ::chmod(bin.c_str(), 0777);
    CHECK(why() == front + bin.string() + " may be written by everybody");
}
