// Subject: one factory of the plugin under test, with the configurations and quirks under which it is tested.
#pragma once
#include "library.hpp"
#include "quirks.hpp"

#include <boost/json/object.hpp>

#include <map>
#include <optional>

namespace mqb::conformance {

// What a case puts to a source that has no publisher.
struct preparation {
    std::string file;                   // to be written before the consumer connects
    std::string line = "message-${N}";  // one message
    std::string command;                // or a shell command, run once for each case
    std::uint32_t lines = 0;            // 0: as many as the case wants
};

// How the plugin is made to do what it does not do by itself: a control of the side that the case tests.
struct provocation {
    std::string control, json;
};

struct subject {
    std::string factory;  // its name; empty for the cases of the library
    std::uint32_t kind = 0, sides = 0;
    boost::json::object consumer, publisher;  // configurations; handlers and stores use `publisher`
    std::optional<preparation> prepare;
    std::map<std::string, provocation> provoke;  // what → how
    quirks q;
    std::map<std::string, std::string> skip;  // case → reason
    bool derived = false;                     // the configuration comes from the schema alone
};

// What conformance.json says. Throws std::runtime_error with a text for the author.
std::vector<subject> subjects_of_file(const std::string& path);
// Completes subjects by what the plugin says: kind, sides, defaults; makes one for each factory when the file named none.
std::vector<subject> subjects_of_plugin(const mqb_plugin*, std::vector<subject> from_file);

const mqb_factory* find_factory(const mqb_plugin*, const std::string& name);

}  // namespace mqb::conformance
