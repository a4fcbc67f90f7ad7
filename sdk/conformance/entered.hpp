// Entered: which function of the plugin runs, kept where the parent process can read it after a crash, and the edge at which an
// exception of the plugin becomes a failure of the case.
#pragma once
#include "rules.hpp"

#include <exception>

namespace mqb::conformance {

// Shared between the process that runs a case and its parent.
struct trail {
    char where[96];
};
trail* make_trail();
void use_trail(trail*);
// [any] Says what is going on now. Null: nothing of the plugin's.
void mark(const char* where) noexcept;

// Depth of plugin calls of this thread, for the rule that `done` is never inside a start or a cancel.
struct inside {
    const void* start = nullptr;  // the call struct of the start that runs on this thread
    bool cancel = false;
};
inside& inside_now() noexcept;

// Calls into the plugin.
template <class Work>
auto enter(const char* where, Work work) -> decltype(work()) {
    mark(where);
    struct unmark {
        ~unmark() { mark(nullptr); }
    } at_end;
    try {
        return work();
    } catch (const std::exception& e) { fail(rules::no_exception, std::string(where) + " threw: " + e.what()); } catch (const failure&) {
        throw;
    } catch (const skipped&) { throw; } catch (...) {
        fail(rules::no_exception, std::string(where) + " threw something that is not a std::exception");
    }
}

}  // namespace mqb::conformance
