// edge: the one way back into C. Whatever plugin code throws becomes the status that fails safely there, with its text.
#pragma once

#include <mqb/sdk/instance.hpp>

#include <exception>
#include <new>
#include <utility>

namespace mqb::sdk::detail {

// A plugin's function may return status or nothing at all, which means done.
template <class Work>
mqb_status answer_of(Work&& work) {
    if constexpr (std::is_void_v<std::invoke_result_t<Work>>) {
        std::forward<Work>(work)();
        return MQB_OK;
    } else {
        return static_cast<mqb_status>(std::forward<Work>(work)());
    }
}

inline void explain(mqb_call& call, std::uint32_t entry, std::string_view text) noexcept {
    if (call.explain) call.explain(&call, entry, text_of(text));
}

template <class Work>
mqb_status at_the_edge(mqb_call& call, mqb_status if_thrown, Work&& work) noexcept {
    try {
        return answer_of(std::forward<Work>(work));
    } catch (const failure& thrown) {
        explain(call, MQB_WHOLE_CALL, thrown.what());
        return thrown.answer == status::done || thrown.answer == status::pending ? if_thrown : static_cast<mqb_status>(thrown.answer);
    } catch (const std::bad_alloc&) {
        explain(call, MQB_WHOLE_CALL, "out of memory");
        return MQB_RETRY;
    } catch (const std::exception& thrown) { explain(call, MQB_WHOLE_CALL, thrown.what()); } catch (...) {
        explain(call, MQB_WHOLE_CALL, "threw something that is not a std::exception");
    }
    return if_thrown;
}

// For slots that answer nothing: the text goes into the log.
template <class Work>
void at_the_quiet_edge(const instance& self, const char* where, Work&& work) noexcept {
    try {
        std::forward<Work>(work)();
    } catch (const std::exception& thrown) { self.misuse(where, " threw: ", std::string_view(thrown.what())); } catch (...) {
        self.misuse(where, " threw something that is not a std::exception");
    }
}

}  // namespace mqb::sdk::detail
