// fakes: handles behind C tables whose every function is set by the test.
#pragma once

#include <mqb/plugin.h>

#include <functional>
#include <string>
#include <vector>

namespace mqb::boundary {

struct fake_consumer {
    mqb_consumer base{&table};
    std::function<mqb_status(mqb_call*)> connect = [](mqb_call*) { return MQB_OK; };
    std::function<mqb_status(mqb_receive*)> receive = [](mqb_receive*) { return MQB_END; };
    std::function<mqb_status(mqb_settle*)> settle = [](mqb_settle* s) {
        for (std::uint32_t i = 0; i < s->outcomes.count; ++i) mqb_outcome_at(&s->outcomes, i)->result = MQB_SETTLE_OK;
        return MQB_OK;
    };
    std::function<void(void*)> free_batch = [](void*) {};
    std::function<void(std::uint64_t)> lanes_done = [](std::uint64_t) {};
    std::function<void(const std::uint64_t*, std::uint32_t, std::uint64_t)> lanes_ending = [](const std::uint64_t*, std::uint32_t,
                                                                                              std::uint64_t) {};
    std::function<mqb_status(mqb_control*)> control = [](mqb_control*) { return MQB_UNSUPPORTED; };
    std::function<void(std::uint64_t)> cancel = [](std::uint64_t) {};
    std::function<void()> free = [] {};

    static fake_consumer& of(mqb_consumer* c) { return *reinterpret_cast<fake_consumer*>(c); }
    static const mqb_consumer_table table;
};
// Outside of the struct, whose functions are not known before its end.
inline constexpr mqb_consumer_table fake_consumer::table{
    .struct_size = sizeof(mqb_consumer_table),
    .reserved = 0,
    .connect = [](mqb_consumer* c, mqb_call* call) { return of(c).connect(call); },
    .receive = [](mqb_consumer* c, mqb_receive* r) { return of(c).receive(r); },
    .settle = [](mqb_consumer* c, mqb_settle* s) { return of(c).settle(s); },
    .free_batch = [](mqb_consumer* c, void* batch) { of(c).free_batch(batch); },
    .lanes_done = [](mqb_consumer* c, std::uint64_t token) { of(c).lanes_done(token); },
    .lanes_ending = [](mqb_consumer* c, const std::uint64_t* lanes, std::uint32_t n,
                       std::uint64_t by) { of(c).lanes_ending(lanes, n, by); },
    .control = [](mqb_consumer* c, mqb_control* call) { return of(c).control(call); },
    .cancel = [](mqb_consumer* c, std::uint64_t operation) { of(c).cancel(operation); },
    .free = [](mqb_consumer* c) { of(c).free(); },
};

struct fake_publisher {
    mqb_publisher base{&table};
    std::function<mqb_status(mqb_call*)> connect = [](mqb_call*) { return MQB_OK; };
    std::function<mqb_status(mqb_send*)> send = [](mqb_send* s) {
        for (std::uint32_t i = 0; i < s->outcomes.count; ++i) mqb_outcome_at(&s->outcomes, i)->result = MQB_DONE;
        return MQB_OK;
    };
    std::function<mqb_status(mqb_control*)> control = [](mqb_control*) { return MQB_UNSUPPORTED; };
    std::function<void(std::uint64_t)> cancel = [](std::uint64_t) {};
    std::function<void()> free = [] {};

    static fake_publisher& of(mqb_publisher* p) { return *reinterpret_cast<fake_publisher*>(p); }
    static const mqb_publisher_table table;
};
inline constexpr mqb_publisher_table fake_publisher::table{
    .struct_size = sizeof(mqb_publisher_table),
    .reserved = 0,
    .connect = [](mqb_publisher* p, mqb_call* call) { return of(p).connect(call); },
    .send = [](mqb_publisher* p, mqb_send* s) { return of(p).send(s); },
    .control = [](mqb_publisher* p, mqb_control* call) { return of(p).control(call); },
    .cancel = [](mqb_publisher* p, std::uint64_t operation) { of(p).cancel(operation); },
    .free = [](mqb_publisher* p) { of(p).free(); },
};

struct fake_store {
    mqb_store base{&table};
    std::function<mqb_status(mqb_call*)> connect = [](mqb_call*) { return MQB_OK; };
    std::function<mqb_status(mqb_apply*)> apply = [](mqb_apply*) { return MQB_OK; };
    std::function<void(std::uint64_t)> cancel = [](std::uint64_t) {};
    std::function<void()> free = [] {};

    static fake_store& of(mqb_store* s) { return *reinterpret_cast<fake_store*>(s); }
    static const mqb_store_table table;
};
inline constexpr mqb_store_table fake_store::table{
    .struct_size = sizeof(mqb_store_table),
    .reserved = 0,
    .connect = [](mqb_store* s, mqb_call* call) { return of(s).connect(call); },
    .apply = [](mqb_store* s, mqb_apply* a) { return of(s).apply(a); },
    .cancel = [](mqb_store* s, std::uint64_t operation) { of(s).cancel(operation); },
    .free = [](mqb_store* s) { of(s).free(); },
};

inline mqb_text text(const char* t) { return {t, std::char_traits<char>::length(t)}; }
inline std::string str(mqb_text t) { return {t.data, t.size}; }

// A few messages in one array, as an endpoint would give them.
struct some_messages {
    explicit some_messages(std::vector<std::string> texts) : payloads(std::move(texts)), messages(payloads.size()) {
        for (std::size_t i = 0; i < payloads.size(); ++i) {
            messages[i] = {};
            messages[i].lane = i;
            messages[i].payload = {reinterpret_cast<const std::uint8_t*>(payloads[i].data()), payloads[i].size(), nullptr};
        }
    }
    mqb_list list() { return mqb_list_of(messages.data(), static_cast<std::uint32_t>(messages.size()), sizeof(mqb_message)); }
    std::vector<std::string> payloads;
    std::vector<mqb_message> messages;
};

inline std::string payload(const mqb_message* m) { return {reinterpret_cast<const char*>(m->payload.data), m->payload.size}; }

}  // namespace mqb::boundary
