// result: a value, or why there is none.
#pragma once

#include "core/status.hpp"

#include <boost/assert/source_location.hpp>
#include <boost/system/result.hpp>

#include <stdexcept>
#include <string>

namespace mqb::core {

// What steers the caller, and the text for people.
struct failure {
    status what = status::retry;
    std::string text;
    std::string excerpt = {};  // lines that show where in a text of the configuration; empty: there is none
    std::string where = {};    // JSON pointer of what is wrong in the configuration; empty: all of it
};

template <class T>
using result = boost::system::result<T, failure>;

[[noreturn]] inline void throw_exception_from_error(const failure& f, const boost::source_location&) { throw std::runtime_error(f.text); }

}  // namespace mqb::core
