// enter: the one way into a plugin. No exception comes out of it, and whoever looks at the thread sees where it is.
#pragma once

#include "host/loading/thread_entry.hpp"

#include <exception>
#include <string_view>
#include <type_traits>

namespace mqb::loading {

// Calls fn, which calls one function of a plugin. What it throws is told as tell(site, text), and if_thrown is the answer. An
// exception may be one that the standard library of another compiler made: it is taken by reference and not kept.
template <class Fn, class Tell>
inline std::invoke_result_t<Fn&> enter(const call_site& site, std::invoke_result_t<Fn&> if_thrown, Fn fn, Tell tell) noexcept {
    stamp here{site};
    try {
        return fn();
    } catch (const std::exception& e) { tell(site, std::string_view{e.what()}); } catch (...) {
        tell(site, std::string_view{"unknown error"});
    }
    return if_thrown;
}

// The same for a function that answers nothing.
template <class Fn, class Tell>
requires std::is_void_v<std::invoke_result_t<Fn&>>
inline void enter(const call_site& site, Fn fn, Tell tell) noexcept {
    stamp here{site};
    try {
        fn();
    } catch (const std::exception& e) { tell(site, std::string_view{e.what()}); } catch (...) {
        tell(site, std::string_view{"unknown error"});
    }
}

}  // namespace mqb::loading
