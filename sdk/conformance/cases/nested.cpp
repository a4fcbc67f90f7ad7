// The case of what a configuration nests: the kit lends it.
#include "../nested.hpp"
#include "../catalog.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <set>

namespace mqb::conformance::cases {
namespace {
namespace json = boost::json;
constexpr std::size_t n = 30;

// Everything that can be nested is.
std::vector<lent_part> nest(stage& s, const json::object& schema, recipe& r) {
    json::object config = json::parse(r.config).as_object();
    nest_everything(schema, config, r.side);
    r.config = s.where.fill(json::serialize(config));
    r.children.clear();
    return lend_for(nested_places(schema, config, r.side), r);
}
void closed_well(const std::vector<lent_part>& lent) {
    for (const lent_part& one : lent)
        if (one.input)
            require(one.input->batches_out() == 0, rules::free_batch,
                    std::to_string(one.input->batches_out()) + " batches of a nested input were not freed when free had returned");
}

void nested_in_publisher(stage& s, const json::object& schema) {
    recipe r = s.recipe_for(s.about.kind == MQB_HANDLER ? 0u : std::uint32_t{MQB_SIDE_PUBLISHER});
    const std::vector<lent_part> lent = nest(s, schema, r);
    publisher outer(std::move(r));
    outer.connect();
    std::vector<letter> letters;
    for (std::size_t i = 0; i < n; ++i) letters.push_back(s.next_letter());
    outer.deliver(letters);
    outer.flush();
    std::set<std::string> arrived;
    bool has_output = false;
    for (const lent_part& one : lent) {
        if (!one.output) continue;
        has_output = true;
        for (const std::string& sent : one.output->sent()) arrived.insert(sent);
    }
    for (const letter& l : letters)
        if (has_output && s.q().passes)
            require(arrived.count(*l.payload) == 1, rules::send, *l.payload + " is DONE and is in no nested output");
    outer.close();
    closed_well(lent);
    checkpoint();
}

void nested_in_consumer(stage& s, const json::object& schema) {
    recipe r = s.recipe_for(MQB_SIDE_CONSUMER);
    const std::vector<lent_part> lent = nest(s, schema, r);
    consumer outer(std::move(r));
    outer.connect();
    std::size_t put = 0;
    for (const lent_part& one : lent) {
        if (!one.input) continue;
        for (std::size_t i = 0; i < n; ++i, ++put) one.input->put(s.next_letter());
        one.input->end();
    }
    std::size_t got = 0;
    bool ended = put == 0;
    while (!ended) {
        auto b = outer.receive(s.q().patience, 100, &ended);
        if (!b) break;
        got += b->size();
        outer.settle_all(*b);
        outer.free_batch(*b);
    }
    if (s.q().passes)
        require(got == put, rules::receive,
                std::to_string(got) + " of " + std::to_string(put) + " messages of the nested inputs came through");
    outer.close();
    closed_well(lent);
    std::size_t acknowledged = 0, waiting = 0;
    for (const lent_part& one : lent)
        if (one.input) acknowledged += one.input->acknowledged(), waiting += one.input->waiting();
    require(acknowledged + waiting == put, rules::free_batch,
            "the nested inputs have " + std::to_string(acknowledged) + " messages acknowledged and " + std::to_string(waiting) +
                " back, of " + std::to_string(put));
    checkpoint();
}
}  // namespace

void nested_children(stage& s) {
    const json::value v = json::parse(as_string(as_known(s.factory()).schema));
    const json::object& schema = v.as_object();
    bool any = false;
    for (const std::uint32_t side : {std::uint32_t{MQB_SIDE_CONSUMER}, std::uint32_t{MQB_SIDE_PUBLISHER}}) {
        const bool has_side = s.about.kind == MQB_HANDLER ? side == MQB_SIDE_PUBLISHER : (s.about.sides & side) != 0;
        json::object probe;
        nest_everything(schema, probe, side);
        if (!has_side || nested_places(schema, probe, side).empty()) continue;
        if (s.about.kind == MQB_MIDDLEWARE) skip("the schema has a nested endpoint: of a middleware the kit does not show it");
        any = true;
        side == MQB_SIDE_CONSUMER ? nested_in_consumer(s, schema) : nested_in_publisher(s, schema);
    }
    if (any) return;
    if (as_string(as_known(s.factory()).schema).find("\"x-mqb-store\"") != std::string::npos)
        skip("the schema has a nested store, which the present host refuses (docs/abi.md, Open until the freeze)");
    skip("the schema has no nested endpoint");
}

}  // namespace mqb::conformance::cases
