// Report: the results as lines for people, as JSON, or as JUnit XML.
#pragma once
#include "verdict.hpp"

#include <mqb/conformance/run.hpp>

#include <iosfwd>

namespace mqb::conformance {

class report {
public:
    report(const options&, std::ostream&);
    void add(result);
    // Writes what is left to write. True when nothing failed.
    bool finish();
    int timeouts() const { return timeouts_; }

private:
    void line(const result&);
    void write_json();
    void write_junit();
    const options& options_;
    std::ostream& to_;
    std::vector<result> all_;
    int timeouts_ = 0;
};

}  // namespace mqb::conformance
