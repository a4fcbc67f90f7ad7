// Finding plugins: where, in which order, whom to believe, and how little of it needs a library to be opened.
#include "host/loading/sha256.hpp"
#include "host/loading/signal_guard.hpp"
#include "plugin_folder.hpp"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

using namespace mqb;
using namespace mqb::boundary;
using namespace mqb::loading;

namespace {

std::string failure(const lookup_result<core::endpoint_factory>& r) { return r ? "found" : r.error().text; }

const catalogue_entry& entry_of(const std::vector<catalogue_entry>& all, const fs::path& file) {
    auto at = std::ranges::find(all, file, &catalogue_entry::file);
    REQUIRE((at != all.end()));
    return *at;
}

}  // namespace

TEST_CASE("a name is found by the index, by the file name, or by asking a child; the factory comes from the right file") {
    const plugin_folder folder;
    plugin_folder::add_index(folder.add("other", "with_index"), "other", "other");
    folder.add("small", "small");
    folder.add("third", "unrelated");
    plugin_catalogue catalogue = folder.catalogue();
    for (const char* name : {"third", "other", "small"}) {
        auto found = catalogue.find_endpoint(name);
        CHECK((found ? std::string{} : found.error().text) == "");
        REQUIRE(found.has_value());
        CHECK((*found)->sides() == core::consumer_side);
        CHECK((*found)->schema() == R"({"type":"object"})");
    }
    CHECK(catalogue.warnings().empty());
}

TEST_CASE("an unused file is neither opened nor described, whatever it would do") {
    const plugin_folder folder;
    for (int i = 0; i < 5; ++i) {
        plugin_folder::add_index(folder.add("aborts", "a" + std::to_string(i)), "aborts", "a" + std::to_string(i));
        folder.add("aborts", "b" + std::to_string(i));
    }
    folder.add("small", "small");
    plugin_folder::add_index(folder.add("other", "other"), "other", "other");
    plugin_catalogue catalogue = folder.catalogue(folder.search(), folder.counting_describer());
    core::CustomEndpointFactory endpoints;
    core::CustomMiddlewareFactory middlewares;
    CHECK(catalogue.register_into(endpoints, middlewares, {{"small", "other"}, {}}).has_value());
    CHECK(endpoints.names() == std::vector<std::string>{"other", "small"});
    CHECK(folder.children() == "libmqb_small.so\n");
}

TEST_CASE("what a route file needs is registered; every missing name has a line; registered names stay") {
    const plugin_folder folder;
    plugin_folder::add_index(folder.add("small", "small"), "small", "small");
    plugin_catalogue catalogue = folder.catalogue();
    core::CustomEndpointFactory endpoints;
    core::CustomMiddlewareFactory middlewares;
    auto own = *catalogue.find_endpoint("small");
    endpoints.add("mine", own);
    auto registered = catalogue.register_into(endpoints, middlewares, {{"mine", "small", "smal"}, {"compress"}});
    CHECK(endpoints.names() == std::vector<std::string>{"mine", "small"});
    CHECK(endpoints.find("mine") == own);
    REQUIRE_FALSE(registered.has_value());
    CHECK(registered.error().text == "no plugin offers the endpoint \"smal\"; did you mean small? Looked in " + folder.dir.string() +
                                         "\nno plugin offers the middleware \"compress\"; looked in " + folder.dir.string());
}

TEST_CASE("a name that nothing offers is told apart from one whose file cannot be used, for every kind") {
    const plugin_folder folder;
    using reason = lookup_failure::reason;
    folder.add("small", "one"), folder.add("small", "two"), folder.add("other", "other");
    std::ofstream{folder.dir / "libmqb_broken.so"} << "text";
    search_options search = folder.search();
    search.allowed_sha256 = {"no sum"};
    plugin_catalogue catalogue = folder.catalogue(search, plugin_folder::describing());
    CHECK((catalogue.find_endpoint("nothing").error().why == reason::not_offered));
    CHECK((catalogue.find_middleware("small").error().why == reason::not_offered));
    CHECK((catalogue.find_handler("small").error().why == reason::not_offered));
    CHECK((catalogue.find_store("small").error().why == reason::not_offered));
    CHECK((catalogue.find_endpoint("broken").error().why == reason::unusable));
    CHECK((catalogue.find_store("broken").error().why == reason::unusable));
    CHECK((catalogue.find_endpoint("small").error().why == reason::unusable));  // by two
    CHECK((catalogue.find_endpoint("other").error().why == reason::unusable));  // not in the allow-list
}

TEST_CASE("a file that crashes or exits when it is opened is named and hurts nobody") {
    const plugin_folder folder;
    const fs::path aborts = folder.add("aborts", "aborts"), exits = folder.add("exits", "exits");
    plugin_catalogue catalogue = folder.catalogue();
    CHECK(failure(catalogue.find_endpoint("aborts")) ==
          "the endpoint \"aborts\" cannot be used: " + aborts.string() + ": crashes with SIGABRT when it is opened");
    const std::vector<catalogue_entry> all = catalogue.list(false);
    CHECK(all.size() == 2);
    CHECK(entry_of(all, aborts).state == file_state::unusable);
    CHECK(entry_of(all, aborts).why == "crashes with SIGABRT when it is opened");
    CHECK(entry_of(all, exits).why == "ended the process with exit code 3 when it was opened");
    CHECK(catalogue.warnings().size() == 2);
}

TEST_CASE("a file that hangs when it is opened is given up at the limit, and named") {
    const plugin_folder folder;
    const fs::path hangs = folder.add("hangs", "hangs");
    plugin_catalogue catalogue = folder.catalogue(folder.search(), plugin_folder::describing(std::chrono::milliseconds{400}));
    const std::vector<catalogue_entry> all = catalogue.list(false);
    REQUIRE(all.size() == 1);
    CHECK(all[0].state == file_state::unusable);
    CHECK(all[0].why == "did not come back within 400 ms when it was opened");
    CHECK(catalogue.warnings().size() == 1);
}

TEST_CASE("what a library changes about the host's signals when it is opened is put back, and the library named") {
    const plugin_folder folder;
    const fs::path file = folder.add("ignores", "ignores");
    struct sigaction ours {};
    struct sigaction before {};
    struct sigaction after {};
    ours.sa_handler = [](int) {};
    ::sigaction(SIGTERM, &ours, &before);
    {
        const signal_guard guarded{SIGTERM};
        plugin_catalogue catalogue = folder.catalogue();
        CHECK(catalogue.find_endpoint("ignores").has_value());
        CHECK(catalogue.warnings() ==
              std::vector<std::string>{file.string() + ": changed what the host does on SIGTERM when it was opened: put back"});
    }
    ::sigaction(SIGTERM, &before, &after);
    CHECK((after.sa_handler == ours.sa_handler));
}

TEST_CASE("the list says what every file offers, with its sum") {
    const plugin_folder folder;
    const fs::path small = folder.add("small", "small");
    plugin_catalogue catalogue = folder.catalogue();
    const std::vector<catalogue_entry> all = catalogue.list(true);
    REQUIRE(all.size() == 1);
    CHECK(all[0].file == small);
    CHECK(all[0].state == file_state::ok);
    CHECK(all[0].name == "small");
    CHECK(all[0].version == "0.1");
    CHECK(all[0].licence == "MIT");
    CHECK(all[0].abi == MQB_ABI_DRAFT);
    CHECK(all[0].offers == std::vector<offer>{{offer_kind::endpoint, "small", core::consumer_side}});
    CHECK(all[0].sha256 == sha256_of_file(small));
    CHECK(all[0].sha256.size() == 64);
}

TEST_CASE("an index of another build is ignored with a warning, and the file is asked") {
    const plugin_folder folder;
    const fs::path small = folder.add("small", "mislabelled");
    plugin_folder::add_index(small, "nonsense", "nonsense");
    std::ofstream{small, std::ios::app} << "x";
    plugin_catalogue catalogue = folder.catalogue();
    CHECK(catalogue.find_endpoint("small").has_value());
    CHECK_FALSE(catalogue.find_endpoint("nonsense").has_value());
    CHECK(catalogue.warnings().at(0) ==
          (folder.dir / "libmqb_mislabelled.json").string() + ": ignored, since its size is not that of the library");
}

TEST_CASE("an index of another draft refuses the file without opening it") {
    const plugin_folder folder;
    const fs::path file = folder.add("aborts", "old");
    plugin_folder::add_index(file, "old", "old", 99);
    plugin_catalogue catalogue = folder.catalogue(folder.search(), folder.counting_describer());
    CHECK(failure(catalogue.find_endpoint("old")) == "the endpoint \"old\" cannot be used: " + file.string() +
                                                         ": is built for another plugin interface: found draft 99, wanted draft 1");
    CHECK(folder.children().empty());
}

TEST_CASE("the same file name farther down the path is shadowed, also by an unusable one") {
    const plugin_folder folder;
    const fs::path near = folder.dir / "near" / "libmqb_small.so";
    const fs::path far = folder.add("small", "small", "far");
    fs::create_directories(near.parent_path());
    std::ofstream{near} << "text";
    search_options search;
    search.plugin_dirs = {near.parent_path(), far.parent_path()};
    plugin_catalogue catalogue = folder.catalogue(search, plugin_folder::describing());
    CHECK(failure(catalogue.find_endpoint("small")) ==
          "the endpoint \"small\" cannot be used: " + near.string() + ": is not a shared library: it is no ELF file");
    const std::vector<catalogue_entry> all = catalogue.list(false);
    CHECK(entry_of(all, near).state == file_state::unusable);
    CHECK(entry_of(all, far).state == file_state::shadowed);
    CHECK(entry_of(all, far).why == "shadowed by " + near.string());
}

TEST_CASE("two files that claim one name are an error that names both, and only for that name") {
    const plugin_folder folder;
    const fs::path one = folder.add("small", "one"), two = folder.add("small", "two");
    folder.add("other", "other");
    plugin_catalogue catalogue = folder.catalogue();
    CHECK(failure(catalogue.find_endpoint("small")) ==
          "the endpoint \"small\" is offered by two files: " + one.string() + " and " + two.string());
    CHECK(catalogue.find_endpoint("other").has_value());
}

TEST_CASE("a library that is named more than once is one, by whatever path") {
    const plugin_folder folder;
    const fs::path library = folder.add("small", "one");
    const fs::path link = folder.dir / "libmqb_link.so";
    fs::create_symlink(library, link);
    search_options search;
    search.plugin_files = {library, library, library.parent_path() / "." / library.filename(), link, "/none", "/none"};
    plugin_catalogue catalogue = folder.catalogue(search, plugin_folder::describing());
    CHECK(catalogue.find_endpoint("small").has_value());
    CHECK(find_files(search).size() == 2);
}

TEST_CASE("the order is: named files, given directories, the environment, beside the binary, the prefix, the user's data") {
    const plugin_folder folder;
    auto make = [&](const char* name) {
        fs::create_directories(folder.dir / name);
        return folder.dir / name;
    };
    search_options o;
    o.plugin_dirs = {make("a"), make("b"), folder.dir / "not there"};
    o.environment_path = make("c").string() + "::" + make("d").string() + ":" + make("a").string();
    o.binary = make("build/bin") / "mqbridge";
    make("build/plugins");
    o.prefix = make("prefix");
    make("prefix/lib/mqbridge/plugins");
    o.data_home = make("data");
    make("data/mqbridge/plugins");
    std::vector<std::string> found;
    for (const search_place& place : search_places(o))
        found.push_back(fs::relative(place.directory, folder.dir).string() + (place.is_beside_binary ? " beside" : ""));
    CHECK(found == std::vector<std::string>{"a", "b", "c", "d", "build/bin beside", "build/plugins beside", "prefix/lib/mqbridge/plugins",
                                            "data/mqbridge/plugins"});
    folder.add("small", "x", "c");
    folder.add("small", "y", "a");
    o.plugin_files = {folder.add("small", "z", "elsewhere")};
    std::vector<std::string> files;
    for (const found_file& f : find_files(o)) files.push_back(fs::relative(f.file, folder.dir).string());
    CHECK(files == std::vector<std::string>{"elsewhere/libmqb_z.so", "a/libmqb_y.so", "c/libmqb_x.so"});
    CHECK(name_in_file_name("/x/libmqb_kafka.so") == "kafka");
    CHECK(name_in_file_name("/x/libmqb_.so").empty());
    CHECK(name_in_file_name("/x/libkafka.so").empty());
    CHECK(name_in_file_name("/x/libmqb_kafka.so.1").empty());
}

TEST_CASE("a file that others may write, or below a directory that they may, is not loaded unless it is named") {
    const plugin_folder folder;
    const fs::path small = folder.add("small", "small", "open");
    search_options search;
    search.plugin_dirs = {small.parent_path()};
    auto why = [&] {
        plugin_catalogue catalogue = folder.catalogue(search, plugin_folder::describing());
        return failure(catalogue.find_endpoint("small"));
    };
    CHECK(why() == "found");
    const std::string front = "the endpoint \"small\" cannot be used: " + small.string() + ": is not trusted: ";
    ::chmod(small.c_str(), 0666);
    CHECK(why() == front + small.string() + " may be written by everybody");
    ::chmod(small.c_str(), 0644);
    ::chmod(small.parent_path().c_str(), 0777);
    CHECK(why() == front + small.parent_path().string() + " may be written by everybody");
    ::chmod(small.parent_path().c_str(), 01777);
    if (::geteuid() == 0) CHECK(why() == "found");  // sticky, and root's
    ::chmod(small.parent_path().c_str(), 0777);
    search.plugin_files = {small};
    search.plugin_dirs.clear();
    CHECK(why() == "found");
}

TEST_CASE("as root: another user's file is not loaded, except beside that user's binary") {
    if (::geteuid() != 0) return;
    const plugin_folder folder;
    const fs::path small = folder.add("small", "small", "plugins");
    const fs::path binary = folder.dir / "bin" / "mqbridge";
    fs::create_directories(binary.parent_path());
    std::ofstream{binary} << "x";
    for (const fs::path& p : {small, small.parent_path(), binary, binary.parent_path()}) CHECK(::chown(p.c_str(), 12345, 0) == 0);
    search_options search;
    search.plugin_dirs = {small.parent_path()};
    plugin_catalogue scanned = folder.catalogue(search, plugin_folder::describing());
    CHECK(failure(scanned.find_endpoint("small")) == "the endpoint \"small\" cannot be used: " + small.string() +
                                                         ": is not trusted: " + small.string() + " belongs to another user (12345)");
    search_options beside;
    beside.binary = binary;
    plugin_catalogue neighbour = folder.catalogue(beside, plugin_folder::describing());
    CHECK(failure(neighbour.find_endpoint("small")) == "found");
}

TEST_CASE("an allow-list of sums lets only those files in") {
    const plugin_folder folder;
    const fs::path small = folder.add("small", "small"), other = folder.add("other", "other");
    search_options search = folder.search();
    search.allowed_sha256 = {sha256_of_file(small)};
    plugin_catalogue catalogue = folder.catalogue(search, plugin_folder::describing());
    CHECK(catalogue.find_endpoint("small").has_value());
    CHECK(failure(catalogue.find_endpoint("other")) == "the endpoint \"other\" cannot be used: " + other.string() + ": its SHA-256 " +
                                                           sha256_of_file(other) + " is not in the allow-list");
}

TEST_CASE("a library is opened once per real path and stays open; its tables are found by name") {
    const plugin_folder folder;
    const fs::path file = folder.add("small", "small");
    const fs::path link = folder.dir / "link.so";
    fs::create_symlink(file, link);
    auto one = library::open(file), two = library::open(link);
    REQUIRE(one.has_value());
    CHECK(one->get() == two->get());
    CHECK(table_of_open_library("small", "crash") != nullptr);
    CHECK(table_of_open_library("small", "else") == nullptr);
    CHECK(table_of_open_library("nobody", "crash") == nullptr);
}
