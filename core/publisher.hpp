// publisher: the sink side of the model; a leaf or a middleware over one. A handler has the same interface.
#pragma once

#include "core/consumer.hpp"

namespace mqb::core {

// Not thread-safe: used by one route only, one call at a time.
class publisher {
public:
    virtual ~publisher() = default;

    virtual status connect(call& c) = 0;
    // The outcomes decide, also when the status is an error; the status speaks only of the connection.
    virtual status send(send_call& c) = 0;
    virtual status control(control_call& c) { return (void)c, status::unsupported; }
    virtual void cancel(call& c) = 0;
    virtual status close(call& c) = 0;
    virtual void listen(event_sink* sink) = 0;
};

}  // namespace mqb::core
