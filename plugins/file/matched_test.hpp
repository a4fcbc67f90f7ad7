// Matched test: a reader of several files. For the tests of this folder.
#pragma once

#include "test_host.hpp"

namespace mqb::file::testing {

inline const std::string consume = R"("mode":"consume")", group = R"("mode":"group_subscribe","group_id":"g")",
                         subscribe = R"("mode":"subscribe")";

struct reader : consumer_under_test {
    reader(const scratch& dir, const std::string& mode, bool drain = false, const std::string& pattern = "*.log",
           const std::string& more = R"("format":"raw")")
        : consumer_under_test(R"({"path":")" + (dir / pattern.c_str()) + "\"," + mode + "," + more + "}", drain) {
        REQUIRE(connect() == "");
    }
    // After the pause between two looks at the folder.
    std::vector<std::string> next(std::uint32_t most = 512) {
        host.time += 1'000'000'000;
        return all(most);
    }
};

}  // namespace mqb::file::testing
