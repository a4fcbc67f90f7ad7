// handles: a plugin as a test uses it: made by its factory, called through its tables.
#pragma once

#include <mqb/plugin.h>
#include <mqb/sdk/testing/operation.hpp>

#include <memory>
#include <stdexcept>

namespace mqb::sdk::testing {

// Makes an instance; throws with the text when that fails.
inline void* make(const mqb_factory& factory, std::uint32_t side, std::string_view config, host& with, mqb_list children = {}) {
    operation<mqb_create> call(with);
    mqb_create& raw = call.raw();
    raw.host = &with;
    raw.config = text_of(config);
    raw.side = side;
    raw.concurrency = 1;
    raw.batch_messages = 512;
    raw.byte_budget = 64u << 20;
    raw.route = raw.path = raw.instance = text_of("test");
    raw.children = children;
    const mqb_status answer = factory.create(&raw);
    if (answer != MQB_OK) throw std::runtime_error(join("create answered ", answer, ": ", call.text()));
    return raw.made;
}

// What a factory promises; throws with the text when the configuration makes no sense.
inline mqb_promises promises_of(const mqb_factory& factory, std::uint32_t side, std::string_view config, host& with) {
    operation<mqb_promise> call(with);
    mqb_promises answer{};
    answer.struct_size = sizeof answer;
    call.raw().config = text_of(config);
    call.raw().side = side;
    call.raw().promises = &answer;
    const mqb_status with_status = factory.promises(&call.raw());
    if (with_status != MQB_OK) throw std::runtime_error(join("promises answered ", with_status, ": ", call.text()));
    return answer;
}

namespace detail {
struct connect_frame {
    mqb_call call;
};
template <class Handle>
status connect(Handle* handle, host& with) {
    if (!handle->table->connect) return status::done;
    operation<connect_frame> call(with);
    call.started(handle->table->connect(handle, &call.raw().call));
    return call.wait();
}
}  // namespace detail

// A receive and what it gave.
struct receiving : operation<mqb_receive> {
    using operation::operation;
    std::uint32_t size() { return raw().messages.count; }
    const mqb_message& message(std::uint32_t i) { return *mqb_message_at(&raw().messages, i); }
    std::string payload(std::uint32_t i) { return std::string(view(message(i).payload)); }
};

// Owns a consumer; freed with everything that is left of it. Threads: the test's.
class consumer {
public:
    testing::host host;  // of this instance alone

    consumer(const mqb_factory& factory, std::string_view config, mqb_list children = {})
        : raw_(static_cast<mqb_consumer*>(make(factory, MQB_SIDE_CONSUMER, config, host, children))) {}
    consumer(const consumer&) = delete;
    ~consumer() {
        while (host.run_timers(true)) {}
        raw_->table->free(raw_);
    }
    mqb_consumer* raw() const noexcept { return raw_; }
    status connect() { return detail::connect(raw_, host); }
    std::unique_ptr<receiving> start_receive(std::uint32_t messages, bool drain = false, std::uint64_t bytes = 0) {
        auto call = std::make_unique<receiving>(host);
        call->raw().max_messages = messages;
        call->raw().max_bytes = bytes;
        call->raw().drain = drain;
        call->started(raw_->table->receive(raw_, &call->raw()));
        return call;
    }
    std::unique_ptr<receiving> receive(std::uint32_t messages, bool drain = false, std::uint64_t bytes = 0) {
        auto call = start_receive(messages, drain, bytes);
        call->wait();
        return call;
    }
    // One entry for each index, all with one disposition; the outcomes.
    std::vector<std::int32_t> settle(void* batch, const std::vector<std::uint32_t>& indexes, std::int32_t disposition = MQB_ACK,
                                     std::uint64_t delay_ns = 0) {
        std::vector<mqb_entry> entries;
        for (const std::uint32_t index : indexes) entries.push_back({index, disposition, delay_ns, nullptr, {nullptr, 0}});
        std::vector<mqb_outcome> outcomes(indexes.size());
        operation<mqb_settle> call(host);
        call.raw().batch = batch;
        call.raw().entries = mqb_list_of(entries.data(), static_cast<std::uint32_t>(entries.size()), sizeof(mqb_entry));
        call.raw().outcomes = mqb_list_of(outcomes.data(), static_cast<std::uint32_t>(outcomes.size()), sizeof(mqb_outcome));
        call.started(raw_->table->settle(raw_, &call.raw()));
        call.wait();
        std::vector<std::int32_t> results;
        for (const mqb_outcome& one : outcomes) results.push_back(one.result);
        return results;
    }
    void settle_all(receiving& of) {
        std::vector<std::uint32_t> all;
        for (std::uint32_t i = 0; i < of.size(); ++i) all.push_back(i);
        settle(of.raw().batch, all);
    }
    void free_batch(receiving& of) { raw_->table->free_batch(raw_, of.raw().batch); }
    void cancel(std::uint64_t operation) { raw_->table->cancel(raw_, operation); }

private:
    mqb_consumer* raw_;
};

// A send with its messages, its outcomes and the answers that came.
struct sending : operation<mqb_send> {
    explicit sending(host& with, const std::vector<mqb_message>& what) : operation(with), messages(what), outcomes(what.size()) {
        raw().messages = mqb_list_of(messages.data(), static_cast<std::uint32_t>(messages.size()), sizeof(mqb_message));
        raw().outcomes = mqb_list_of(outcomes.data(), static_cast<std::uint32_t>(outcomes.size()), sizeof(mqb_outcome));
        raw().answer = [](mqb_send* send, std::uint32_t index, const mqb_message* response) {
            // raw is the first member of the frame, and the frame of the operation
            static_cast<sending&>(operation::of_raw(*send)).answers.emplace_back(index, std::string(view(response->payload)));
        };
    }
    std::vector<mqb_message> messages;
    std::vector<mqb_outcome> outcomes;
    std::vector<std::pair<std::uint32_t, std::string>> answers;
};

// A message of borrowed text, for a send.
inline mqb_message message_of(std::string_view payload) {
    mqb_message one{};
    one.payload = borrowed(payload);
    return one;
}

// Owns a publisher or handler. Threads: the test's.
class publisher {
public:
    testing::host host;  // of this instance alone

    publisher(const mqb_factory& factory, std::string_view config, std::uint32_t side = MQB_SIDE_PUBLISHER, mqb_list children = {})
        : raw_(static_cast<mqb_publisher*>(make(factory, side, config, host, children))) {}
    publisher(const publisher&) = delete;
    ~publisher() {
        while (host.run_timers(true)) {}
        raw_->table->free(raw_);
    }
    mqb_publisher* raw() const noexcept { return raw_; }
    status connect() { return detail::connect(raw_, host); }
    std::unique_ptr<sending> start_send(const std::vector<mqb_message>& messages) {
        auto call = std::make_unique<sending>(host, messages);
        call->started(raw_->table->send(raw_, &call->raw()));
        return call;
    }
    std::unique_ptr<sending> send(const std::vector<mqb_message>& messages) {
        auto call = start_send(messages);
        call->wait();
        return call;
    }
    void cancel(std::uint64_t operation) { raw_->table->cancel(raw_, operation); }

private:
    mqb_publisher* raw_;
};

}  // namespace mqb::sdk::testing
