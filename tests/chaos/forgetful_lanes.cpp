// forgetful lanes: the ledger's file of the same name, but for one message that is delivered and never counted. A test of what the
// program says about a loss; no product links it.
#ifndef MQB_TEST_FORGETS_A_MESSAGE
#error "this is for the program that loses a message on purpose"
#endif
#include "core/ledger_ops.hpp"

#include <algorithm>

namespace mqb::core {
namespace {

struct forgetful_counter {
    counter& real;
    bool may_forget;
    void add(std::uint64_t n) const noexcept {
        static std::atomic<bool> has_forgotten{false};
        real.add(may_forget && n > 0 && !has_forgotten.exchange(true) ? n - 1 : n);
    }
};

forgetful_counter forgetful(ledger_counters& all, fate why) noexcept { return {counter_of(all, why), why == fate::delivered}; }

}  // namespace
}  // namespace mqb::core

#define counter_of forgetful
#include "core/ledger_lanes.cpp"
