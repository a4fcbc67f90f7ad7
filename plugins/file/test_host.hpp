// Test host: runs the endpoint through its C tables, as a host does, in a scratch directory. For the tests of this folder.
#pragma once

#include <doctest/doctest.h>

#include <sys/resource.h>
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <mqb/plugin.h>
#include <mqb/sdk/metadata.hpp>
#include <mqb/sdk/text.hpp>

namespace mqb::file::testing {

// A directory that is gone afterwards.
struct scratch {
    scratch() {
        std::string name = "/tmp/mqb-file-" + std::string(6, 'X');
        REQUIRE(::mkdtemp(name.data()) != nullptr);
        path = name;
    }
    ~scratch() { std::filesystem::remove_all(path); }
    std::string operator/(const char* name) const { return path + "/" + name; }
    std::string path;
};

inline void write_file(const std::string& path, std::string_view text, bool append = false) {
    std::ofstream(path, append ? std::ios::binary | std::ios::app : std::ios::binary) << text;
}
inline std::string read_file(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

// The names in a directory, sorted.
inline std::vector<std::string> files_of(const scratch& dir) {
    std::vector<std::string> names;
    for (const auto& one : std::filesystem::directory_iterator(dir.path)) names.push_back(one.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
}

// Files of this process may not grow beyond this: a disk that is full.
struct file_size_limit {
    explicit file_size_limit(rlim_t size) {
        ::getrlimit(RLIMIT_FSIZE, &before);
        before_handler = std::signal(SIGXFSZ, SIG_IGN);
        const rlimit now{size, before.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &now);
    }
    ~file_size_limit() {
        ::setrlimit(RLIMIT_FSIZE, &before);
        std::signal(SIGXFSZ, before_handler);
    }
    rlimit before{};
    void (*before_handler)(int) = SIG_DFL;
};

// What one handle tells its host.
struct test_host : mqb_host {
    std::vector<std::string> warnings;
    std::map<std::string, std::int64_t> counts;
    std::uint64_t time = 0, wall = 0;  // ns
    // What the one template says of a message with this payload; nothing: the message has not what it asks for.
    std::function<std::optional<std::string>(std::string_view payload)> rendered;

    test_host() : mqb_host{&slots} {}
    static test_host& of(mqb_host* self) { return *static_cast<test_host*>(self); }
    static const mqb_host_table slots;
};
inline const mqb_host_table test_host::slots = {
    sizeof(mqb_host_table),
    0,
    [](mqb_host*) -> std::int32_t { return MQB_LOG_WARNING; },
    [](mqb_host* self, std::int32_t, mqb_text text) { of(self).warnings.emplace_back(sdk::view(text)); },
    [](mqb_host* self, const mqb_event* event) {
        if (event->kind == MQB_WARN) of(self).warnings.emplace_back(sdk::view(event->text));
        if (event->kind == MQB_COUNT) of(self).counts[std::string(sdk::view(event->text))] += event->number;
    },
    [](mqb_host* self, std::int32_t clock) -> std::uint64_t { return clock == MQB_CLOCK_WALL ? of(self).wall : of(self).time; },
    [](mqb_host*, std::uint64_t, mqb_call*) -> mqb_status { return MQB_UNSUPPORTED; },
    [](mqb_host*, std::uint64_t) {},
    [](mqb_host* self, std::uint32_t number, const mqb_message* message, char* out, std::size_t* size) -> mqb_status {
        const auto text = of(self).rendered && number == 0 ? of(self).rendered(sdk::view(message->payload)) : std::nullopt;
        if (!text) return MQB_REJECTED;
        const bool fits = text->size() <= *size;
        if (fits) std::copy(text->begin(), text->end(), out);
        *size = text->size();
        return fits ? MQB_OK : MQB_RETRY;
    },
    [](mqb_host*, mqb_text, mqb_text) -> const void* { return nullptr; }};

// A call struct that keeps its texts.
template <class Raw>
struct call : Raw {
    call() : Raw{} {
        head().struct_size = sizeof(Raw);
        head().operation = 1;
        head().explain = [](mqb_call* self, std::uint32_t entry, mqb_text text) {
            reinterpret_cast<call*>(self)->texts[entry] = sdk::view(text);
        };
    }
    mqb_call& head() { return *reinterpret_cast<mqb_call*>(static_cast<Raw*>(this)); }
    std::string why() { return texts[MQB_WHOLE_CALL]; }
    std::map<std::uint32_t, std::string> texts;
};

// A message as a test names it.
struct letter {
    std::string payload;
    std::string metadata;  // key=value;
    std::uint64_t lane = 0;
    std::string block;  // the metadata as they are
};

// One handle of either side. Throws the text of a failing create.
template <class Handle>
struct made {
    made(std::uint32_t side, const std::string& config, bool drain) {
        const mqb_factory& factory = *mqb_plugin_v1()->factories[0];
        call<mqb_create> c;
        c.host = &host;
        c.config = sdk::text_of(config);
        c.side = side;
        c.drain = drain;
        if (factory.create(&c) != MQB_OK) throw std::runtime_error(c.why());
        handle = static_cast<Handle*>(c.made);
    }
    made(const made&) = delete;
    ~made() { handle->table->free(handle); }

    // Empty, or the status and the text.
    std::string connect() {
        call<mqb_call> c;
        const mqb_status answer = handle->table->connect(handle, &c);
        return answer == MQB_OK ? "" : std::to_string(answer) + ": " + c.why();
    }

    test_host host;
    Handle* handle = nullptr;
};

struct consumer_under_test : made<mqb_consumer> {
    explicit consumer_under_test(const std::string& config, bool drain = true) : made(MQB_SIDE_CONSUMER, config, drain), drains(drain) {}
    // What was not freed goes with it, as at any end of a route.
    ~consumer_under_test() { free_batch(); }

    mqb_status receive(std::uint32_t most = 512, std::uint64_t bytes = 0) {
        call<mqb_receive> c;
        c.max_messages = most;
        c.max_bytes = bytes;
        c.drain = drains;
        got.clear();
        batch = nullptr;
        const mqb_status answer = handle->table->receive(handle, &c);
        why = c.why();
        for (std::uint32_t i = 0; answer == MQB_OK && i < c.messages.count; ++i) {
            const mqb_message& m = *mqb_message_at(&c.messages, i);
            std::string metadata;
            for (const sdk::metadata_entry one : sdk::metadata_view(m.metadata)) {
                metadata += sdk::join(one.key(), "=");
                metadata += one.as_int() ? std::to_string(*one.as_int()) : std::string(one.value());
                metadata += ';';
            }
            got.push_back({std::string(sdk::view(m.payload)), metadata, m.lane, std::string(sdk::view(m.metadata))});
        }
        if (answer == MQB_OK) batch = c.batch;
        return answer;
    }
    // ACK of the first `count` of the batch: how many outcomes were OK, -1 when any was GONE.
    int settle(std::uint32_t count) {
        std::vector<mqb_entry> entries(count);
        std::vector<mqb_outcome> outcomes(count);
        for (std::uint32_t i = 0; i < count; ++i) entries[i].index = i;
        call<mqb_settle> c;
        c.batch = batch;
        c.entries = mqb_list_of(entries.data(), count, sizeof(mqb_entry));
        c.outcomes = mqb_list_of(outcomes.data(), count, sizeof(mqb_outcome));
        if (handle->table->settle(handle, &c) != MQB_OK) return -2;
        int ok = 0;
        for (const mqb_outcome& one : outcomes) {
            if (one.result == MQB_SETTLE_GONE) return -1;
            ok += one.result == MQB_SETTLE_OK;
        }
        return ok;
    }
    void free_batch() {
        if (batch != nullptr) handle->table->free_batch(handle, batch);
        batch = nullptr;
    }
    // Receives, settles and frees until something else than messages is answered; the last answer and its text follow.
    std::vector<letter> letters(std::uint32_t most = 512, std::uint64_t bytes = 0) {
        std::vector<letter> given;
        while ((last = receive(most, bytes)) == MQB_OK && batch != nullptr) {
            given.insert(given.end(), got.begin(), got.end());
            settle(static_cast<std::uint32_t>(got.size()));
            free_batch();
        }
        return given;
    }
    std::vector<std::string> all(std::uint32_t most = 512, std::uint64_t bytes = 0) {
        std::vector<std::string> payloads;
        for (const letter& one : letters(most, bytes)) payloads.push_back(one.payload);
        return payloads;
    }

    bool drains;
    std::vector<letter> got;
    void* batch = nullptr;
    std::string why;
    mqb_status last = MQB_OK;
};

struct publisher_under_test : made<mqb_publisher> {
    explicit publisher_under_test(const std::string& config) : made(MQB_SIDE_PUBLISHER, config, false) {}

    // metadata: none, or a block for each.
    mqb_status send(const std::vector<std::string>& payloads, const std::vector<std::string>& metadata = {}) {
        std::vector<mqb_message> messages(payloads.size());
        std::vector<mqb_outcome> results(payloads.size());
        for (std::size_t i = 0; i < payloads.size(); ++i) {
            messages[i].id[15] = static_cast<std::uint8_t>(i + 1);
            messages[i].payload = sdk::borrowed(payloads[i]);
            if (!metadata.empty()) messages[i].metadata = sdk::borrowed(metadata[i]);
        }
        call<mqb_send> c;
        const auto count = static_cast<std::uint32_t>(payloads.size());
        c.messages = mqb_list_of(messages.data(), count, sizeof(mqb_message));
        c.outcomes = mqb_list_of(results.data(), count, sizeof(mqb_outcome));
        const mqb_status answer = handle->table->send(handle, &c);
        why = c.why();
        texts = c.texts;
        texts.erase(MQB_WHOLE_CALL);
        outcomes.clear();
        for (const mqb_outcome& one : results) outcomes.push_back(one.result);
        return answer;
    }
    std::vector<std::int32_t> outcomes;
    std::map<std::uint32_t, std::string> texts;  // of the entries
    std::string why;
};

}  // namespace mqb::file::testing
