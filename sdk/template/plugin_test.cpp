// The plugin through its own tables, without a host. Ends with 1 and a line when something is wrong.
#include <mqb/sdk/testing/handles.hpp>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace sdk = mqb::sdk;
namespace testing = mqb::sdk::testing;

#define CHECK(condition) ((condition) ? void() : (std::printf("%s:%d: %s\n", __FILE__, __LINE__, #condition), std::exit(1)))

int main() {
    const std::string path = (std::filesystem::temp_directory_path() / "@NAME@_test.txt").string();
    const std::string config = "{\"path\":\"" + path + "\"}";
    std::filesystem::remove(path);
    std::filesystem::remove(path + ".position");
    const mqb_factory& factory = *mqb_plugin_v1()->factories[0];

    testing::publisher writer(factory, config);
    CHECK(writer.connect() == sdk::status::done);
    auto sent = writer.send({testing::message_of("one"), testing::message_of("t\nwo"), testing::message_of("three")});
    CHECK(sent->outcomes[0].result == MQB_DONE && sent->outcomes[1].result == MQB_REFUSED && sent->outcomes[2].result == MQB_DONE);
    CHECK(sent->text(1) == "a line has no line feed in it");

    testing::consumer reader(factory, config);
    CHECK(reader.connect() == sdk::status::done);
    auto first = reader.receive(10);
    CHECK(first->size() == 2 && first->payload(0) == "one" && first->payload(1) == "three");
    reader.free_batch(*first);  // unsettled, so it comes again
    auto again = reader.receive(1);
    CHECK(again->size() == 1 && again->payload(0) == "one");
    reader.settle_all(*again);
    reader.free_batch(*again);
    auto rest = reader.receive(10);
    CHECK(rest->size() == 1 && rest->payload(0) == "three");
    reader.settle_all(*rest);
    reader.free_batch(*rest);
    CHECK(reader.receive(10, true)->wait() == sdk::status::end);
    std::puts("all is well");
}
