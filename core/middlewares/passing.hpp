// passing: decorators that pass everything on as it is; what needs more derives from them.
#pragma once

#include "core/consumer.hpp"
#include "core/publisher.hpp"

namespace mqb::core {

// Over a consumer of one route.
class passing_consumer : public consumer {
public:
    explicit passing_consumer(consumer& inner) : inner_(inner) {}
    status connect(call&) override { return status::ok; }
    status receive(receive_call& c) override { return inner_.receive(c); }
    status settle(settle_call& c) override { return inner_.settle(c); }
    void free_batch(void* batch) override { inner_.free_batch(batch); }
    void lanes_done(std::uint64_t token) override { inner_.lanes_done(token); }
    status control(control_call& c) override { return inner_.control(c); }
    void cancel(call& c) override { inner_.cancel(c); }
    status close(call&) override { return status::ok; }
    void listen(event_sink*) override {}

protected:
    consumer& inner_;
};

// Over a publisher of one route.
class passing_publisher : public publisher {
public:
    explicit passing_publisher(publisher& inner) : inner_(inner) {}
    status connect(call&) override { return status::ok; }
    status send(send_call& c) override { return inner_.send(c); }
    status control(control_call& c) override { return inner_.control(c); }
    void cancel(call& c) override { inner_.cancel(c); }
    status close(call&) override { return status::ok; }
    void listen(event_sink*) override {}

protected:
    publisher& inner_;
};

}  // namespace mqb::core
