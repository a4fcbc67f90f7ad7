#include "server.hpp"

#include <sstream>

namespace mqb::shapes::broker {

namespace {

// The words of one command; what is missing or is not a number is an error.
class words {
public:
    explicit words(std::string_view text) : in_(std::string(text)) {}
    std::string word() {
        std::string out;
        if (!(in_ >> out)) throw unknown_word("a word is missing");
        return out;
    }
    template <class Number>
    Number number() {
        Number out{};
        if (!(in_ >> out)) throw unknown_word("a number is missing");
        return out;
    }
    template <class Number>
    Number number_or(Number otherwise) {
        Number out{};
        return in_ >> out ? out : otherwise;
    }

private:
    std::istringstream in_;
};

}  // namespace

// fill QUEUE MESSAGES [PARTITIONS [BYTES]]   summary QUEUE   log QUEUE   journal QUEUE   seed QUEUE NUMBER
// refuse QUEUE OPERATION NTH FAULT           chance QUEUE OPERATION FAULT CHANCE         delay QUEUE MS
// revoke QUEUE LANES DEADLINE_MS             roam QUEUE CHANCE DEADLINE_MS               drop QUEUE
// respond QUEUE once|twice|never [MESSAGES]  leave QUEUE (the connection that asks)
std::string server::obey(session& who, std::string_view command) {
    try {
        words in(command);
        const std::string what = in.word();
        queue& of = queue_named(in.word());
        if (what == "fill") {
            const auto n = in.number<std::uint32_t>();
            const auto partitions = in.number_or<std::uint32_t>(1);
            of.fill(n, partitions, in.number_or<std::uint32_t>(0));
        } else if (what == "summary") {
            return of.summary();
        } else if (what == "log") {
            return of.payloads();
        } else if (what == "journal") {
            return of.log.text();
        } else if (what == "seed") {
            of.broken.random.seed(in.number<std::uint64_t>());
        } else if (what == "refuse") {
            const wire::verb operation = operation_named(in.word());
            const auto nth = in.number<std::uint64_t>();
            of.broken.at(operation, nth ? nth : 1, fault_named(in.word()));
        } else if (what == "chance") {
            const wire::verb operation = operation_named(in.word());
            const fault broken = fault_named(in.word());
            of.broken.with_chance(operation, broken, in.number<double>());
        } else if (what == "delay") {
            of.delay_of_sends = std::chrono::milliseconds(in.number<std::uint32_t>());
        } else if (what == "revoke") {
            const auto lanes = in.number_or<std::uint32_t>(1);
            revoke(of, lanes, in.number_or<std::uint32_t>(0));
        } else if (what == "roam") {
            of.roams = in.number<double>();
            of.roam_ms = in.number_or<std::uint32_t>(0);
        } else if (what == "drop") {
            for (const auto& [number, s] : sessions_)
                if (s->from == &of) s->leaves = true;
        } else if (what == "leave") {
            who.leaves = true;
        } else if (what == "respond") {
            of.responds = in.word();
            of.responds_left = in.number_or<std::uint64_t>(UINT64_MAX);
        } else {
            throw unknown_word("there is no command \"" + what + '"');
        }
        return "ok";
    } catch (const unknown_word& wrong) { return std::string("error: ") + wrong.what(); }
}

}  // namespace mqb::shapes::broker
