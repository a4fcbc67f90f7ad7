#include "host/loading/descriptor.hpp"

#include <doctest/doctest.h>

#include <cstddef>

using namespace mqb;
using namespace mqb::loading;

namespace {

mqb_text text(const char* t) { return {t, std::char_traits<char>::length(t)}; }

// A plugin without a fault, for tests to damage.
struct sound_plugin {
    sound_plugin() {
        factory.struct_size = sizeof factory;
        factory.kind = MQB_ENDPOINT;
        factory.sides = MQB_SIDE_CONSUMER;
        factory.name = text("thing");
        factory.schema = text("{}");
        factory.create = [](mqb_create*) -> mqb_status { return MQB_OK; };
        other = factory;
        plugin.struct_size = sizeof plugin;
        plugin.draft = MQB_ABI_DRAFT;
        plugin.name = text("sound");
        plugin.version = text("1.2.3");
        plugin.licence = text("MIT");
        plugin.factories = list;
        plugin.factory_count = 1;
    }
    std::string fault() {
        auto checked = check_descriptor(&plugin);
        return checked ? "none" : checked.error().text;
    }
    mqb_factory factory{}, other{};
    const mqb_factory* list[2]{&factory, &other};
    mqb_plugin plugin{};
};

}  // namespace

TEST_CASE("a sound descriptor says what the library offers") {
    sound_plugin p;
    auto checked = check_descriptor(&p.plugin);
    REQUIRE(checked.has_value());
    CHECK(checked->about.name == "sound");
    CHECK(checked->about.version == "1.2.3");
    CHECK(checked->about.licence == "MIT");
    CHECK(checked->about.draft == MQB_ABI_DRAFT);
    CHECK(checked->about.offers == std::vector<offer>{{offer_kind::endpoint, "thing", MQB_SIDE_CONSUMER}});
    CHECK(checked->factories.size() == 1);
    CHECK((checked->factories[0].table.create == p.factory.create));
    CHECK((checked->factories[0].table.promises == nullptr));
}

TEST_CASE("the draft number is looked at before anything else") {
    sound_plugin p;
    p.plugin.factories = reinterpret_cast<const mqb_factory* const*>(8);  // would crash
    p.plugin.name = {reinterpret_cast<const char*>(8), 3};
    p.plugin.draft = MQB_ABI_DRAFT + 1;
    CHECK(p.fault() == "is built for another plugin interface: found draft 2, wanted draft 1");
    p.plugin.draft = 0;
    CHECK(p.fault() == "is built for another plugin interface: found draft 0, wanted draft 1");
    p.plugin.struct_size = 4;
    CHECK(p.fault() == "its descriptor is too short: struct_size 4 leaves no room for a draft number");
    CHECK(check_descriptor(nullptr).error().text == "mqb_plugin_v1 answered null");
}

TEST_CASE("each fault of a descriptor is named") {
    sound_plugin p;
    SUBCASE("too short for its factories") {
        p.plugin.struct_size = offsetof(mqb_plugin, factory_count);
        CHECK(p.fault() == "its descriptor is too short: struct_size 64 leaves no room for the factories");
    }
    SUBCASE("bad library name") {
        p.plugin.name = text("Not-Good");
        CHECK(p.fault() == "has the bad name \"Not-Good\"; a name is [a-z][a-z0-9_]*");
    }
    SUBCASE("null version") {
        p.plugin.version = {nullptr, 5};
        CHECK(p.fault() == "has a version or licence that is too long or null");
    }
    SUBCASE("null list") {
        p.plugin.factories = nullptr;
        CHECK(p.fault() == "has a bad list of factories");
    }
    SUBCASE("absurd count") {
        p.plugin.factory_count = 1u << 30;
        CHECK(p.fault() == "has a bad list of factories");
    }
    SUBCASE("null factory") {
        p.list[1] = nullptr;
        p.plugin.factory_count = 2;
        CHECK(p.fault() == "has a null pointer in place of factory 1");
    }
    SUBCASE("short factory") {
        p.factory.struct_size = offsetof(mqb_factory, create);
        CHECK(p.fault() == "factory 0 is too short: it lacks the required function create");
    }
    SUBCASE("null create") {
        p.factory.create = nullptr;
        CHECK(p.fault() == "endpoint thing lacks the required function create");
    }
    SUBCASE("bad name") {
        p.factory.name = text("9lives");
        CHECK(p.fault() == "offers something with the bad name \"9lives\"; a name is [a-z][a-z0-9_]*");
    }
    SUBCASE("no side") {
        p.factory.sides = 4;
        CHECK(p.fault() == "endpoint thing has no side");
    }
    SUBCASE("two of one name") {
        p.plugin.factory_count = 2;
        CHECK(p.fault() == "offers the endpoint thing twice");
    }
    SUBCASE("schema that is not JSON") {
        p.factory.schema = text("{\"type\":");
        CHECK(p.fault() == "endpoint thing has a schema that is not JSON: incomplete JSON");
    }
    SUBCASE("schema that is no object") {
        p.factory.schema = text("[]");
        CHECK(p.fault() == "endpoint thing has a schema that is not a JSON object");
    }
    SUBCASE("null schema") {
        p.factory.schema = {nullptr, 9};
        CHECK(p.fault() == "endpoint thing has a schema that is too long or null");
    }
    SUBCASE("default of another type") {
        p.factory.schema = text(R"({"properties":{"a":{"type":"object","properties":{"port":{"type":"integer","default":"x"}}}}})");
        CHECK(p.fault() == "endpoint thing has a schema whose default for \"port\" is no integer");
    }
}

TEST_CASE("one name may be that of an endpoint and of a middleware, and kinds of the future are left out") {
    sound_plugin p;
    p.plugin.factory_count = 2;
    p.other.kind = MQB_MIDDLEWARE;
    CHECK(check_descriptor(&p.plugin)->factories.size() == 2);
    p.other.kind = 77;
    p.other.name = text("NOT CHECKED");
    CHECK(check_descriptor(&p.plugin)->factories.size() == 1);
}

TEST_CASE("a factory table that is longer than this host knows is taken as far as it is known") {
    sound_plugin p;
    p.factory.struct_size = sizeof p.factory + 64;
    CHECK(p.fault() == "none");
}
