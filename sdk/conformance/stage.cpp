#include "stage.hpp"

#include "nested.hpp"
#include "workplace.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <cstdio>
#include <filesystem>
#include <fstream>

namespace mqb::conformance {

stage::stage(const library& l, const subject& s, place p) : lib(l), about(s), where(std::move(p)) {}

const mqb_plugin* stage::plugin() {
    const mqb_plugin* p = lib.open();
    require(as_known(p).draft == MQB_ABI_DRAFT, rules::draft,
            "the plugin has draft " + std::to_string(as_known(p).draft) + ", this kit " + std::to_string(MQB_ABI_DRAFT));
    return p;
}
const mqb_factory* stage::factory() {
    const mqb_factory* f = find_factory(plugin(), about.factory);
    if (!f) fail(rules::factory, "no factory \"" + about.factory + "\"");
    return f;
}

recipe stage::recipe_for(std::uint32_t side, bool drain) {
    prepare_once();
    std::filesystem::create_directories(where.scratch + "/private");
    recipe r;
    r.factory = factory();
    r.config = where.fill(boost::json::serialize(side == MQB_SIDE_CONSUMER ? about.consumer : about.publisher));
    r.side = side;
    r.q = &about.q;
    r.where = where;
    r.drain = drain;
    boost::system::error_code ec;
    const boost::json::value schema = boost::json::parse(as_string(as_known(r.factory).schema), ec);
    if (!ec && schema.is_object())
        for (const lent_part& one :
             lend_for(nested_places(schema.get_object(), side == MQB_SIDE_CONSUMER ? about.consumer : about.publisher, side), r))
            if (one.input) one.input->end();  // it has nothing to give
    return r;
}

consumer& stage::make_consumer() { return *consumers_.emplace_back(std::make_unique<consumer>(recipe_for(MQB_SIDE_CONSUMER))); }
publisher& stage::make_publisher() {
    const bool handler = about.kind == MQB_HANDLER;
    return *publishers_.emplace_back(std::make_unique<publisher>(recipe_for(handler ? 0u : std::uint32_t(MQB_SIDE_PUBLISHER))));
}
consumer& stage::open_consumer() {
    consumer& c = make_consumer();
    c.connect();
    return c;
}
publisher& stage::open_publisher() {
    publisher& p = make_publisher();
    p.connect();
    return p;
}

letter stage::next_letter() {
    std::string text = q().json_payload && q().payload == quirks{}.payload ? "{\"n\":${N}}" : where.fill(q().payload);
    char number[32];
    std::snprintf(number, sizeof number, q().json_payload ? "%llu" : "%06llu", static_cast<unsigned long long>(++number_));
    if (const std::size_t at = text.find("${N}"); at != std::string::npos) text.replace(at, 4, number);
    return {text, q().keeps_metadata ? meta_text("kit_number", std::to_string(number_)) : "", uuid_of(number_)};
}

void stage::prepare_once() {
    if (prepared_ || !about.prepare || about.prepare->command.empty()) return;
    prepared_ = true;
    if (run_at_start(where.fill(about.prepare->command)) != 0) skip("the command of `prepare` failed");
}

void stage::write_prepared(std::uint32_t n) {
    prepare_once();
    const preparation& p = *about.prepare;
    if (p.file.empty()) return;
    const std::string path = as_meant_at_start(where.fill(p.file));
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream out(path, std::ios::app | std::ios::binary);
    for (std::uint32_t i = 0; i < n; ++i) {
        std::string line = where.fill(p.line);
        const std::size_t at = line.find("${N}");
        if (at != std::string::npos) line.replace(at, 4, std::to_string(++number_));
        out << line << '\n';
        fed.push_back(line);
    }
}

void stage::feed(const std::vector<letter>& letters, bool beside) {
    if (!feeder_) feeder_ = &open_publisher();
    if (beside || beside_ || q().sends_wait_for_consumer) {
        if (!beside_) beside_ = std::make_unique<feeder>(*feeder_);
        beside_->add(letters);
        for (const letter& l : letters) fed.push_back(l.payload.value_or(""));
        return;
    }
    for (std::size_t i = 0; i < letters.size(); i += 10) {
        const std::vector<letter> some(letters.begin() + static_cast<long>(i),
                                       letters.begin() + static_cast<long>(std::min(letters.size(), i + 10)));
        feeder_->deliver(some);
    }
    if (!letters.empty()) feeder_->flush();
    for (const letter& l : letters) fed.push_back(l.payload.value_or(""));
}
void stage::close_feeder() {
    if (beside_)
        beside_->close_when_done();
    else if (feeder_)
        feeder_->close();
    feeder_ = nullptr;
}

void stage::feed(std::uint32_t n) {
    if (round_trips()) {
        std::vector<letter> letters;
        for (std::uint32_t i = 0; i < n; ++i) letters.push_back(next_letter());
        feed(letters);
    } else if (about.prepare) {
        write_prepared(n);
    }
}

consumer& stage::source_with(std::uint32_t n) {
    if (!has_consumer()) skip("there is no consumer side");
    n = std::min(n, q().feed);
    if (q().consumer_first && round_trips()) {
        consumer& c = open_consumer();
        feed(n);
        return c;
    }
    feed(n);
    return open_consumer();
}

const provocation& stage::how_to(const std::string& what) const {
    static const std::map<std::string, const char*> lines = {
        {"revocation", R"({"control": "revoke", "json": {"lanes": 1, "deadline_ms": 500}})"},
        {"disconnect", R"({"control": "disconnect", "json": {}})"},
        {"refusal", R"({"control": "refuse", "json": {"operation": "send", "nth": 2, "class": "retry"}})"}};
    auto it = about.provoke.find(what);
    if (it == about.provoke.end())
        skip("conformance.json does not say how to provoke it; for instance: \"provoke\": {\"" + what + "\": " + lines.at(what) + "}");
    return it->second;
}

consumer& stage::reopen(consumer& first) {
    first.close();
    return open_consumer();
}

void stage::require_exactly_fed(const std::vector<batch>& batches, const rule& r) {
    if (fed.empty()) return;
    auto got = payloads_of(batches);
    std::map<std::string, int> left;
    for (const std::string& p : fed) ++left[p];
    for (const std::string& p : got) --left[p];
    for (const auto& [payload, n] : left) {
        const std::string shown = payload.substr(0, 60);
        require(n <= 0, r, "lost: \"" + shown + "\" (" + std::to_string(got.size()) + " of " + std::to_string(fed.size()) + " came)");
        require(n >= 0, r, "came twice or was never sent: \"" + shown + "\"");
    }
}

void stage::finish() {
    if (beside_) beside_->check();
    beside_.reset();
    for (auto it = consumers_.rbegin(); it != consumers_.rend(); ++it) (*it)->close();
    for (auto it = publishers_.rbegin(); it != publishers_.rend(); ++it) (*it)->close();
    checkpoint();
}

std::vector<std::string> payloads_of(const std::vector<batch>& batches) {
    std::vector<std::string> out;
    for (const batch& b : batches)
        for (const received& m : b.messages) out.push_back(m.what.payload.value_or(""));
    return out;
}

}  // namespace mqb::conformance
