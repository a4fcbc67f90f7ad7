// status: the answer of a call as a scoped enumeration, and the exception that carries one across plugin code.
#pragma once

#include <mqb/status.h>
#include <mqb/sdk/text.hpp>

#include <stdexcept>

namespace mqb::sdk {

// The classes of status.h. `pending` is only returned after `later()` was called on the call.
enum class status : mqb_status {
    done = MQB_OK,
    pending = MQB_PENDING,
    retry = MQB_RETRY,
    rejected = MQB_REJECTED,
    bad_config = MQB_BAD_CONFIG,
    disconnected = MQB_DISCONNECTED,
    end = MQB_END,
    cancelled = MQB_CANCELLED,
    unsupported = MQB_UNSUPPORTED,
};

// Thrown by plugin code: the call answers `answer` and explains itself with what().
class failure : public std::runtime_error {
public:
    failure(status with, const std::string& text) : std::runtime_error(text), answer(with) {}

    status answer;
};

template <class... Parts>
failure bad_config(const Parts&... parts) {
    return failure(status::bad_config, join(parts...));
}
template <class... Parts>
failure disconnected(const Parts&... parts) {
    return failure(status::disconnected, join(parts...));
}
template <class... Parts>
failure retry_later(const Parts&... parts) {
    return failure(status::retry, join(parts...));
}
template <class... Parts>
failure rejected(const Parts&... parts) {
    return failure(status::rejected, join(parts...));
}

}  // namespace mqb::sdk
