// Operation: one call struct on its way through the plugin, in hostile memory, with everything that came back.
#pragma once
#include "entered.hpp"
#include "guarded.hpp"

#include <mqb/call.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace mqb::conformance {

using namespace std::chrono_literals;

struct heard {  // one text of explain, or one answer of a control
    std::uint32_t entry;
    std::string text;
};

// [any] A number that grows: what is called first has the smaller one.
std::uint64_t next_moment() noexcept;
// [any] Notes a text that is not UTF-8.
void check_text(const std::string& whose, mqb_text);

// What the kit knows about a call. [any]: `done`, `explain` and `answer` come from any thread. Lives until the process ends, so that a
// completion that comes too late or twice is found and not crashed on.
class operation {
public:
    template <class Call>
    static operation& make(const char* what);

    template <class Call>
    Call& as() {
        return *reinterpret_cast<Call*>(memory_.data());
    }
    mqb_call* head() { return reinterpret_cast<mqb_call*>(memory_.data()); }
    std::uint64_t id() const { return id_; }
    const char* what() const { return what_; }

    // Runs the start and books its answer. The serial lock, if any, is held around the start.
    mqb_status start(const std::function<mqb_status()>& call, std::recursive_mutex* serial = nullptr);
    // Waits for the answer; false when it did not come.
    bool wait(std::chrono::milliseconds patience);
    // Waits and fails the case when no answer comes.
    mqb_status answer(std::chrono::milliseconds patience);
    bool finished();
    bool was_pending() const { return pending_; }
    mqb_status status();
    // When the start was called, and when the answer was there: that of `done`, or of the start for what it answers itself, since a
    // host does nothing else while a start runs.
    std::uint64_t began_at() const { return began_at_; }
    std::uint64_t answered_at();

    std::vector<heard> explained();
    std::string why();  // all texts in one line, for reports

    // Called once, with the lock of no one held, when a pending call has completed: for calls that go on from `done`.
    std::function<void(mqb_status)> on_done;

    // [any] From the functions of the call.
    static void on_explain(mqb_call*, std::uint32_t entry, mqb_text);
    static void on_completion(mqb_call*, mqb_status);
    static operation* of(const void* call);
    std::uint32_t entries = 0;  // of the call's array

    std::mutex guard;  // of what the answer callbacks collect
    std::vector<heard> answers;

private:
    operation(const char* what, std::size_t size);
    void close();  // the struct is the kit's again: the plugin may not write it any more

    const char* what_;
    guarded memory_;
    std::size_t size_;
    std::uint64_t id_;
    std::condition_variable arrived_;
    bool started_ = false, returned_ = false, pending_ = false, inside_start_ = false;
    int completions_ = 0;
    std::uint64_t began_at_ = 0, completed_at_ = 0;
    mqb_status status_ = MQB_PENDING;
    std::vector<heard> texts_;
};

template <class Call>
operation& operation::make(const char* what) {
    return *new operation(what, sizeof(Call));  // kept for ever, see above
}

const char* name_of_status(mqb_status);

}  // namespace mqb::conformance
