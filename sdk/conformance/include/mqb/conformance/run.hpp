// The conformance kit: runs named cases against one plugin, each in a child process, and reports what it found.
#pragma once
#include <mqb/plugin.h>

#include <chrono>
#include <iosfwd>
#include <string>

namespace mqb::conformance {

enum class format { human, json, junit };

struct options {
    std::string plugin;   // path of the library; for run_linked only a name for the report
    std::string config;   // path of a conformance.json; empty: configurations are derived from the schemas
    std::string only;     // name of one case; empty: all
    std::string factory;  // name of one factory; empty: all that the configuration names
    format output = format::human;
    bool in_process = false;                 // for a debugger: no child, no time limit, a crash ends the program
    bool list = false;                       // list the cases instead
    bool verbose = false;                    // what the plugin printed and logged is shown for failures
    std::chrono::milliseconds limit{20000};  // for each case
    std::ostream* to = nullptr;              // null: std::cout
};

// 0: no case failed, crashed or timed out; 1: some did; 2: the options or the configuration are wrong.
// Forks: call it before the program starts a thread.
int run(const options&);

// The same cases on a plugin that is linked in.
int run_linked(const mqb_plugin*, const options&);

// The command line `PLUGIN.so [--config FILE] [--case NAME] …`, without the name of the program.
int command(int count, const char* const* arguments);

}  // namespace mqb::conformance
