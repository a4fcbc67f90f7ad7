// Workplace: a fresh directory that is the working directory while a case runs, so that a plugin which takes some text for a relative
// path leaves nothing where the kit was started.
#pragma once
#include <boost/json/value.hpp>

#include <string>

namespace mqb::conformance {

class workplace {
public:
    // Makes the directory and goes there.
    explicit workplace(const std::string& directory);
    // Goes back. The directory stays: whoever named it removes it, also after a crash.
    ~workplace();
    workplace(const workplace&) = delete;
    workplace& operator=(const workplace&) = delete;

private:
    int before_;
};

// Remembers the working directory as the one in which the kit was started.
void start_here();
// A path as it was meant there. "" stays.
std::string as_meant_at_start(const std::string& path);
// All texts of a configuration that are relative paths: that begin with ./ or ../, or name a file that exists.
void paths_as_meant_at_start(boost::json::value&);
// A shell command that runs in the directory in which the kit was started.
int run_at_start(const std::string& command);

}  // namespace mqb::conformance
