// templates: what it takes to render one over a message: of metadata, of generated values, of fields of the payload; beside an append of the
// same values that are at hand already.
//
//   bench_templates [ROUNDS]      ns per message, the median of the rounds
#include "core/middlewares/metadata_edit.hpp"
#include "core/templates/renderer.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

namespace {

namespace core = mqb::core;

constexpr int messages = 200'000;

double cpu_seconds() {
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

double median(std::vector<double> of) {
    std::ranges::sort(of);
    return of[of.size() / 2];
}

double rendering(const core::templates::text_template& from, const core::message& of, std::size_t& made) {
    core::templates::renderer by;
    std::string out;
    const double begin = cpu_seconds();
    for (int i = 0; i < messages; ++i) {
        out.clear();
        if (!by.append(out, from, of).is_whole()) std::abort();
        made += out.size();
    }
    return (cpu_seconds() - begin) / messages * 1e9;
}

double appending(std::size_t& made) {
    const std::vector<std::string> values = {"orders", "3", "DE"};
    std::string out;
    const double begin = cpu_seconds();
    for (int i = 0; i < messages; ++i) {
        out.clear();
        for (const std::string& value : values) out.append(value).append("/");
        made += out.size();
    }
    return (cpu_seconds() - begin) / messages * 1e9;
}

void measure(const char* source, const core::message& of, int rounds) {
    const auto made = core::templates::compile(source);
    std::vector<double> times;
    std::size_t size = 0;
    for (int i = 0; i < rounds; ++i) times.push_back(rendering(*made, of, size));
    std::printf("%-60s %6.1f ns  (%zu bytes)\n", source, median(times), size / messages / static_cast<std::size_t>(rounds));
}

}  // namespace

int main(int count, char** arguments) {
    const int rounds = count > 1 ? std::max(1, std::atoi(arguments[1])) : 9;
    const core::text_edit edits[] = {{"topic", "orders"}, {"partition", "3"}, {"offset", "123456"}, {"country", "DE"}};
    const core::counted_block block = core::edited({}, edits);
    const std::string payload =
        R"({"id":6000000000000002181,"customer":"The Best Shop","country":"DE","amount":12.50,"currency":"EUR",)"
        R"("items":[{"sku":"A-17","n":2},{"sku":"B-4","n":1}],"paid":true,"note":null,"at":"2026-01-31T10:00:00Z"})";
    core::message m;
    m.id[0] = 1;
    m.metadata = block.get();
    m.payload = {reinterpret_cast<const std::uint8_t*>(payload.data()), payload.size(), nullptr};
    std::vector<double> floor;
    std::size_t made = 0;
    for (int i = 0; i < rounds; ++i) floor.push_back(appending(made));
    std::printf("%-60s %6.1f ns\n", "three values at hand, appended", median(floor));
    for (const char* source : {"${metadata:country}", "${metadata:topic}/${metadata:partition}/${metadata:country}", "${message:id}",
                               "${gen:counter}-${gen:uuid}", "${payload:country}", "${payload:id}-${payload:items.1.sku}"})
        measure(source, m, rounds);
}
