// expressions: a filter and a transform over JSON messages, beside simdjson's on-demand reader that does the same by hand, turn about in
// one run. The transform maps three fields to a new payload.
//
// By hand twice: "first" stops at the first member of that name and never looks at the rest; "last" walks all members and lets the last
// one of that name count, as the filter does. Neither checks what it skips, which the filter does.
//
//   bench_expressions [ROUNDS [NAME]]   ns per message, the median of the rounds, and the ratio; of the comparisons with NAME in theirs
#include "core/expressions/evaluator.hpp"
#include "core/middlewares/transform.hpp"

#include <simdjson.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace language = mqb::core::expressions;

constexpr int messages = 200'000;

double cpu_seconds() {
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

mqb::core::buffer bytes_of(const std::string& text) {
    mqb::core::buffer b;
    b.data = reinterpret_cast<const std::uint8_t*>(text.data());
    b.size = text.size();
    return b;
}

// About 200 bytes, or with `more` fields in front of and behind the one that is looked at.
std::string message(int amount, int more) {
    std::string out = R"({"id":6000000000000002181,"customer":"The Best Shop","country":"DE",)";
    for (int i = 0; i < more; ++i) out += "\"before" + std::to_string(i) + "\":\"some text of a usual length\",";
    out += "\"amount\":" + std::to_string(amount) + R"(.50,"currency":"EUR","items":[{"sku":"A-17","n":2},{"sku":"B-4","n":1}],)";
    for (int i = 0; i < more; ++i) out += "\"behind" + std::to_string(i) + "\":" + std::to_string(i * 1000003) + ',';
    return out + R"("paid":true,"note":null,"at":"2026-01-31T10:00:00Z"})";
}

using documents = std::vector<simdjson::padded_string>;

bool is_first_large(simdjson::ondemand::document& document) {
    double amount = 0;
    if (document["amount"].get_double().get(amount) != simdjson::SUCCESS) std::abort();
    return amount > 100;
}

bool is_last_large(simdjson::ondemand::document& document) {
    double amount = 0;
    simdjson::ondemand::object members;
    if (document.get_object().get(members) != simdjson::SUCCESS) std::abort();
    for (auto m : members) {
        simdjson::ondemand::raw_json_string key;
        if (m.key().get(key) != simdjson::SUCCESS) std::abort();
        if (key == "amount" && m.value().get_double().get(amount) != simdjson::SUCCESS) std::abort();
    }
    return amount > 100;
}

// Both answer ns per message.
template <class Judge>
double by_hand(const documents& all, int& kept, Judge judge) {
    simdjson::ondemand::parser parser;
    const double from = cpu_seconds();
    for (int i = 0; i < messages; ++i) {
        simdjson::ondemand::document document;
        if (parser.iterate(all[static_cast<std::size_t>(i) % all.size()]).get(document) != simdjson::SUCCESS) std::abort();
        kept += judge(document) ? 1 : 0;
    }
    return (cpu_seconds() - from) / messages * 1e9;
}

double by_expression(const language::program& program, const std::vector<std::string>& all, int& kept) {
    language::evaluator evaluator;
    const double from = cpu_seconds();
    for (int i = 0; i < messages; ++i)
        kept += *evaluator.holds(program, bytes_of(all[static_cast<std::size_t>(i) % all.size()]), {}) ? 1 : 0;
    return (cpu_seconds() - from) / messages * 1e9;
}

// Raw values of three fields, the last of each name, and the payload made of them.
double three_by_hand(const documents& all, std::size_t& made) {
    simdjson::ondemand::parser parser;
    const double from = cpu_seconds();
    for (int i = 0; i < messages; ++i) {
        simdjson::ondemand::document document;
        simdjson::ondemand::object members;
        if (parser.iterate(all[static_cast<std::size_t>(i) % all.size()]).get(document) != simdjson::SUCCESS) std::abort();
        if (document.get_object().get(members) != simdjson::SUCCESS) std::abort();
        std::string_view amount, id, customer;
        for (auto m : members) {
            simdjson::ondemand::raw_json_string key;
            if (m.key().get(key) != simdjson::SUCCESS) std::abort();
            std::string_view* const into = key == "amount" ? &amount : key == "id" ? &id : key == "customer" ? &customer : nullptr;
            if (into) *into = m.value().raw_json_token();
        }
        std::string text;
        text.reserve(amount.size() + id.size() + customer.size() + 32);
        text.append("{\"amount\":").append(amount).append(",\"id\":").append(id).append(",\"name\":").append(customer).append("}");
        made += text.size();
    }
    return (cpu_seconds() - from) / messages * 1e9;
}

double three_by_transform(const std::vector<std::string>& all, std::size_t& made) {
    const auto stage = mqb::core::transform_factory{}.make(R"({"mapping": {"id": "id", "amount": "amount", "name": "customer"}})",
                                                           mqb::core::publisher_side);
    std::vector<mqb::core::counted_block> blocks;
    std::string why;
    const double from = cpu_seconds();
    for (int i = 0; i < messages; ++i) {
        mqb::core::message m;
        m.payload = bytes_of(all[static_cast<std::size_t>(i) % all.size()]);
        if ((*stage)->apply(m, blocks, why) != mqb::core::staged::changed) std::abort();
        made += m.payload.size;
        blocks.clear();
    }
    return (cpu_seconds() - from) / messages * 1e9;
}

double median(std::vector<double> of) {
    std::ranges::sort(of);
    return of[of.size() / 2];
}

void compare(const char* what, int more, int rounds) {
    const auto program = language::compile("amount > 100", language::purpose::filter);
    std::vector<std::string> all;
    for (int i = 0; i < 64; ++i) all.push_back(message(i * 37 % 211, more));
    const documents padded{all.begin(), all.end()};
    std::vector<double> expression, first, last, to_first, to_last;
    for (int i = 0; i < rounds; ++i) {
        int kept = 0, kept_first = 0, kept_last = 0;
        expression.push_back(by_expression(*program, all, kept));
        first.push_back(by_hand(padded, kept_first, is_first_large));
        last.push_back(by_hand(padded, kept_last, is_last_large));
        if (kept != kept_first || kept != kept_last) std::abort();
        to_first.push_back(expression.back() / first.back());
        to_last.push_back(expression.back() / last.back());
    }
    std::printf("%-22s %5zu bytes  expression %6.1f ns  by hand, last %6.1f ns (ratio %.2f)  by hand, first %6.1f ns (ratio %.2f)\n", what,
                all.front().size(), median(expression), median(last), median(to_last), median(first), median(to_first));
}

void compare_transforms(const char* what, int more, int rounds) {
    std::vector<std::string> all;
    for (int i = 0; i < 64; ++i) all.push_back(message(i * 37 % 211, more));
    const documents padded{all.begin(), all.end()};
    std::vector<double> transform, by_hand, ratio;
    for (int i = 0; i < rounds; ++i) {
        std::size_t made = 0, made_by_hand = 0;
        transform.push_back(three_by_transform(all, made));
        by_hand.push_back(three_by_hand(padded, made_by_hand));
        if (made != made_by_hand) std::abort();
        ratio.push_back(transform.back() / by_hand.back());
    }
    std::printf("%-22s %5zu bytes  transform  %6.1f ns  by hand, last %6.1f ns (ratio %.2f)\n", what, all.front().size(), median(transform),
                median(by_hand), median(ratio));
}

}  // namespace

int main(int count, char** arguments) {
    const int rounds = count > 1 ? std::max(1, std::atoi(arguments[1])) : 9;
    const std::string_view wanted = count > 2 ? arguments[2] : "";
    const auto run = [&](auto compare_by, std::string_view name, int more) {
        if (name.find(wanted) != name.npos) compare_by(name.data(), more, rounds);
    };
    run(compare, "amount > 100, small", 0);
    run(compare, "amount > 100, 2 KiB", 32);
    run(compare_transforms, "three fields, small", 0);
    run(compare_transforms, "three fields, 2 KiB", 32);
}
