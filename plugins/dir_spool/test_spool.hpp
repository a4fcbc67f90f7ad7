// Test spool: a scratch folder with a spool in it, and its two sides, called as a host calls them. For the tests of this folder.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include <mqb/sdk.hpp>
#include <mqb/sdk/metadata_text.hpp>
#include <mqb/sdk/testing/handles.hpp>

#include "consumer.hpp"
#include "publisher.hpp"

namespace mqb::dir_spool::testing {

namespace fs = std::filesystem;
using texts = std::vector<std::string>;
using results = std::vector<std::int32_t>;

inline const mqb_factory& endpoint() { return sdk::offer_endpoint<"dir_spool", config, consumer, publisher>::factory; }

// A folder that is gone afterwards; the spool in it is made by whoever opens it.
struct scratch {
    scratch() {
        std::string name = (fs::temp_directory_path() / "mqb-spool-").string() + std::string(6, 'X');
        REQUIRE(::mkdtemp(name.data()) != nullptr);
        folder = name;
    }
    scratch(const scratch&) = delete;
    ~scratch() { fs::remove_all(folder); }

    std::string folder;
    std::string spool() const { return folder + "/spool"; }
    std::string operator/(const std::string& file) const { return spool() + "/" + file; }

    void write(const std::string& file, std::string_view text) const {
        fs::create_directories(fs::path(*this / file).parent_path());
        std::ofstream(*this / file, std::ios::binary) << text;
    }
    std::string read(const std::string& file) const {
        std::ifstream in(*this / file, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    bool has(const std::string& file) const { return fs::exists(*this / file); }
    // All files, in order, as paths within the spool; directories end with a slash.
    texts files() const {
        texts all;
        for (const auto& one : fs::recursive_directory_iterator(spool()))
            all.push_back(fs::relative(one.path(), spool()).string() + (one.is_directory() ? "/" : ""));
        std::ranges::sort(all);
        return all;
    }
    // The same without the claims.
    texts chunks() const {
        texts all = files();
        std::erase_if(all, [](const std::string& name) { return name == "PRODUCER" || name == "CONSUMER"; });
        return all;
    }
    std::string config(const std::string& more = {}) const {
        return R"({"path":")" + spool() + '"' + (more.empty() ? "" : "," + more) + '}';
    }
};

inline std::string metadata_of(const mqb_message& message) {
    std::string all;
    for (const sdk::metadata_entry entry : sdk::metadata_view(message.metadata))
        all += std::string(entry.key()) + '=' + sdk::text_form(entry) + ';';
    return all;
}

inline mqb_message numbered(std::string_view payload, std::uint8_t id) {
    mqb_message one = sdk::testing::message_of(payload);
    one.id[15] = id;
    return one;
}

// A producer that is connected.
struct producer : sdk::testing::publisher {
    explicit producer(const std::string& config) : publisher(endpoint(), config) { CHECK(connect() == sdk::status::done); }

    results put(const texts& payloads) {
        std::vector<mqb_message> messages;
        for (const std::string& one : payloads) messages.push_back(numbered(one, static_cast<std::uint8_t>(messages.size() + 1)));
        auto call = send(messages);
        // What is started while the end of a failed send is being told still counts as behind it.
        while ((why = call->text()) == "behind messages that were not sent") call = send(messages);
        last = call->wait();
        results all;
        for (const mqb_outcome& one : call->outcomes) all.push_back(one.result);
        return all;
    }
    sdk::status ask(std::string_view control) {
        sdk::testing::operation<mqb_control> call(host);
        call.raw().id = sdk::text_of(control);
        call.raw().request = sdk::text_of("{}");
        call.raw().answer = [](mqb_control*, mqb_text) {};
        call.started(raw()->table->control(raw(), &call.raw()));
        return call.wait();
    }
    sdk::status last = sdk::status::pending;
    std::string why;
};

// A consumer that is connected.
struct reader : sdk::testing::consumer {
    explicit reader(const std::string& config) : consumer(endpoint(), config) { CHECK(connect() == sdk::status::done); }

    std::unique_ptr<sdk::testing::receiving> get(std::uint32_t most = 100) {
        auto call = receive(most, true);
        last = call->wait();
        return call;
    }
    // Receives, acknowledges and frees everything until the end; the payloads.
    texts drain(std::uint32_t most = 100) {
        texts all;
        while (true) {
            auto call = get(most);
            if (last != sdk::status::done) break;
            for (std::uint32_t i = 0; i < call->size(); ++i) all.push_back(call->payload(i));
            settle_all(*call);
            free_batch(*call);
        }
        CHECK(last == sdk::status::end);
        return all;
    }
    std::string ask(std::string_view control) {
        struct asking : sdk::testing::operation<mqb_control> {
            using operation::operation;
            std::string answer;
        } call(host);
        call.raw().id = sdk::text_of(control);
        call.raw().request = sdk::text_of("{}");
        call.raw().answer = [](mqb_control* raw, mqb_text text) {
            static_cast<asking&>(sdk::testing::operation<mqb_control>::of_raw(*raw)).answer = sdk::view(text);
        };
        call.started(raw()->table->control(raw(), &call.raw()));
        return call.wait() == sdk::status::done ? call.answer : "unsupported";
    }
    std::int64_t counted(std::string_view name) {
        std::int64_t all = 0;
        for (const auto& event : host.events())
            if (event.kind == MQB_COUNT && event.text == name) all += event.number;
        return all;
    }
    sdk::status last = sdk::status::pending;
};

// What a connect of this side answers, with its text.
template <class Handle>
std::string refused(Handle& handle, sdk::status expected) {
    sdk::testing::operation<sdk::testing::detail::connect_frame> call(handle.host);
    call.started(handle.raw()->table->connect(handle.raw(), &call.raw().call));
    CHECK(call.wait() == expected);
    return call.text();
}

}  // namespace mqb::dir_spool::testing
