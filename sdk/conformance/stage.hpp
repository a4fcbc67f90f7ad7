// Stage: what one case works with: the plugin, a subject, a fresh place, the instances it made.
#pragma once
#include "feeder.hpp"

namespace mqb::conformance {

class stage {
public:
    stage(const library&, const subject&, place);
    // Closes what is left in reverse order, and looks for rules broken afterwards.
    void finish();

    const library& lib;
    const subject& about;
    const place where;
    const quirks& q() const { return about.q; }
    const mqb_plugin* plugin();
    const mqb_factory* factory();

    bool has_consumer() const { return (about.sides & MQB_SIDE_CONSUMER) != 0; }
    bool has_publisher() const { return (about.sides & MQB_SIDE_PUBLISHER) != 0; }
    bool round_trips() const { return has_consumer() && has_publisher() && q().round_trip; }

    recipe recipe_for(std::uint32_t side, bool drain = false);
    consumer& make_consumer();
    publisher& make_publisher();
    consumer& open_consumer();
    publisher& open_publisher();

    // A connected consumer whose source holds n messages. The payloads put there are in `fed`; empty when the source feeds itself.
    consumer& source_with(std::uint32_t n);
    // Puts n more messages there, if the kit can.
    void feed(std::uint32_t n);
    // beside: does not wait until they are sent.
    void feed(const std::vector<letter>&, bool beside = false);
    bool can_feed() const { return round_trips() || (about.prepare && !about.prepare->file.empty()); }
    std::vector<std::string> fed;
    letter next_letter();
    // Frees the publisher through which the kit feeds the source; where its sends wait for the consumer, when they have been settled.
    void close_feeder();

    // How conformance.json says that this is provoked; skips with the line to write when it does not.
    const provocation& how_to(const std::string& what) const;
    // Provokes it at a connected instance.
    template <class Instance>
    void provoke(Instance& at, const std::string& what) {
        const provocation& how = how_to(what);
        operation& op = at.start_control(how.control, where.fill(how.json));
        op.answer(q().patience);
        if (op.status() != MQB_OK) skip("control \"" + how.control + "\", which is to provoke the " + what + ", answered " + op.why());
    }

    // The next consumer of the same configuration, after the first one was freed.
    consumer& reopen(consumer& first);

    // Fails unless the payloads of these batches are exactly what was fed, each once. A gap is "lost", a repetition "twice".
    void require_exactly_fed(const std::vector<batch>&, const rule&);

private:
    void prepare_once();
    void write_prepared(std::uint32_t n);
    std::vector<std::unique_ptr<consumer>> consumers_;
    std::vector<std::unique_ptr<publisher>> publishers_;
    publisher* feeder_ = nullptr;
    std::unique_ptr<feeder> beside_;  // for sends that wait for the consumer
    std::uint64_t number_ = 0;
    bool prepared_ = false;
};

std::vector<std::string> payloads_of(const std::vector<batch>&);

}  // namespace mqb::conformance
