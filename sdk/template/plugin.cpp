// @NAME@: lines of a file, one message each. Everything of the plugin is here; put your protocol in its place.
#include <mqb/sdk.hpp>

#include <fstream>

namespace sdk = mqb::sdk;

struct config {
    std::string path;
    static constexpr auto options() {
        return sdk::options(sdk::option("path", &config::path).required().not_empty().uri_path().doc("The file with the lines."));
    }
};

// Threads of both: the host's calls, one at a time. How far the consumer is settled stands in `path`.position.
struct consumer : sdk::consumer {
    consumer(const sdk::context& made, const config& c) : sdk::consumer(made), path(c.path) {}
    static auto promise(const config&) { return sdk::promises().acknowledges(sdk::settles::batch).unsettled(0, 1).needs_polling(); }
    void connect() {
        if (in = std::ifstream(path); !in) throw sdk::retry_later("cannot open ", path);
        std::ifstream(path + ".position") >> settled, next = settled;
    }
    sdk::status receive(sdk::receive_call& call) {
        auto batch = batches.open();
        in.clear(), in.seekg(next);
        for (std::string line; std::getline(in, line) && !in.eof() && batch->takes(call, line.size()); next = in.tellg()) batch->add(line);
        if (batch->size() == 0 && call.drains()) return sdk::status::end;
        return batch.give(call);  // without a line: nothing now, the host asks again
    }
    void settle(sdk::settle_call& call) {
        std::ofstream position(path + ".position");
        if (position << next << std::flush) settled = next, call.all_ok();  // else: nothing is said, so the host settles again
    }
    void free_batch(void* batch) { next = settled, batches.recycle(batch); }  // unsettled lines are read again
    std::string path;
    std::ifstream in;
    std::streamoff next = 0, settled = 0;
    sdk::batch_pool<> batches;
};

struct publisher : sdk::publisher {
    publisher(const sdk::context& made, const config& c) : sdk::publisher(made), path(c.path) {}
    static sdk::promises promise(const config&) { return sdk::promises().ordered(); }
    void connect() {
        if (out = std::ofstream(path, std::ios::app); !out) throw sdk::retry_later("cannot open ", path);
    }
    sdk::status send(sdk::send_call& call) {
        for (const auto message : call) {
            const bool is_line = message.text().find('\n') == std::string_view::npos;
            if (!is_line) call.refused(message.index(), "a line has no line feed in it");
            if (is_line) out << message.text() << std::endl, out ? call.done(message.index()) : call.uncertain(message.index());
            if (!out) return call.fail(sdk::status::disconnected, "cannot write to " + path);
        }
        return sdk::status::done;
    }
    std::string path;
    std::ofstream out;
};

MQB_PLUGIN("@NAME@", "0.1.0", "MIT", sdk::offer_endpoint<"@NAME@", config, consumer, publisher>);
