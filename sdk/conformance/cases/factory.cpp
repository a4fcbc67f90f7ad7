// Cases of one factory: schema, promises, create.
#include "../catalog.hpp"
#include "../lent.hpp"
#include "../schema.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <malloc.h>

#include <cstring>

namespace mqb::conformance::cases {
namespace {
namespace json = boost::json;

std::vector<std::uint32_t> sides_of(const subject& s) {
    std::vector<std::uint32_t> out;
    for (std::uint32_t side : {MQB_SIDE_CONSUMER, MQB_SIDE_PUBLISHER})
        if (s.sides & side) out.push_back(side);
    if (s.kind == MQB_HANDLER || s.kind == MQB_STORE) out = {0};
    return out;
}
// A middleware gets its inner side.
recipe whole(stage& s, std::uint32_t side) {
    recipe r = s.recipe_for(side);
    if (s.about.kind != MQB_MIDDLEWARE) return r;
    if (side == MQB_SIDE_CONSUMER) {
        r.children.insert(r.children.begin(), lent_consumer::make(answering::at_once).child());
        r.inner = lent_consumer::promises();
    } else {
        r.children.insert(r.children.begin(), lent_publisher::make(answering::at_once).child());
        r.inner = lent_publisher::promises();
    }
    return r;
}
// Frees what create made, through the table that its side has.
template <class Face, class Table>
void free_made(void* made, fake_host& host, const char* where) {
    auto* self = static_cast<Face*>(made);
    require(self->table, rules::growth, "the instance has no table");
    const Table t = as_known(self->table);
    require(t.free, rules::growth, "the table has no free");
    host.enter_state(fake_host::state::freeing);
    enter(where, [&] { return t.free(self), 0; });
    host.enter_state(fake_host::state::freed);
}
void free_made(const subject& s, std::uint32_t side, void* made, fake_host& host) {
    if (s.kind == MQB_STORE)
        free_made<mqb_store, mqb_store_table>(made, host, "store.free");
    else if (side == MQB_SIDE_CONSUMER)
        free_made<mqb_consumer, mqb_consumer_table>(made, host, "consumer.free");
    else
        free_made<mqb_publisher, mqb_publisher_table>(made, host, "publisher.free");
}
bool same(const mqb_promises& a, const mqb_promises& b) {
    return std::memcmp(reinterpret_cast<const char*>(&a) + 4, reinterpret_cast<const char*>(&b) + 4, sizeof a - 4) == 0;
}
void fits_together(const subject& s, std::uint32_t side, const mqb_promises& p) {
    if (side != MQB_SIDE_CONSUMER || s.kind == MQB_MIDDLEWARE) return;
    require(p.settle_unit <= MQB_UNIT_BATCH, rules::promised, "settle_unit is " + std::to_string(p.settle_unit));
    if ((p.dispositions & MQB_BIT(MQB_NACK)) && p.settle_unit != MQB_UNIT_MESSAGE)
        fail(rule{"call.h", "NACK is declared only with MQB_UNIT_MESSAGE."},
             "NACK is declared with settle_unit " + std::to_string(p.settle_unit));
    if ((p.flags & MQB_ACKNOWLEDGES) && !(p.dispositions & MQB_BIT(MQB_ACK)))
        fail(rules::promised, "ACKNOWLEDGES is promised, and ACK is no declared disposition");
    if ((p.dispositions & MQB_BIT(MQB_REPLY)) && p.settle_unit == MQB_UNIT_PREFIX && !(p.dispositions & MQB_BIT(MQB_REPLY_MORE)))
        fail(rules::promised, "a PREFIX consumer that declares REPLY declares REPLY_MORE too");
}
}  // namespace

void schema(stage& s) {
    const std::string text = as_string(as_known(s.factory()).schema);
    boost::system::error_code ec;
    const json::value v = json::parse(text, ec);
    if (ec) fail(rules::schema, "the schema is no JSON: " + ec.message());
    const schema_findings found = inspect_schema(v);
    for (const std::string& w : found.warnings) warn(w);
    if (!found.faults.empty()) fail(rules::schema, found.faults.front());
    for (const auto& [key, value] : v.get_object().contains("properties") ? v.at("properties").get_object() : json::object())
        if (value.is_object() && !value.get_object().contains("description"))
            warn("property \"" + std::string(key) + "\" has no description");
}

void promises_pure(stage& s) {
    if (!as_known(s.factory()).promises) skip("the factory has no promises");
    for (std::uint32_t side : sides_of(s.about)) {
        const recipe r = whole(s, side);
        mqb_status first, second;
        const mqb_promises a = promises_of(r, &first), b = promises_of(r, &second);
        require(first == second && same(a, b), rules::promises, "promises answered differently the second time");
        require(first == MQB_OK, rules::promises, std::string("promises answered ") + name_of_status(first) + " for " + r.config);
        fits_together(s.about, side, a);
    }
    recipe odd = whole(s, sides_of(s.about).front());
    odd.side = 64;
    mqb_status ignored;
    promises_of(odd, &ignored);  // an unknown side: refused or answered, not crashed
    checkpoint();
}

void create(stage& s) {
    for (std::uint32_t side : sides_of(s.about)) {
        const recipe r = whole(s, side);
        const auto threads = threads_now();
        fake_host& host = fake_host::make(nullptr);
        host.enter_state(fake_host::state::creating);
        const creation c = conformance::create(r, host);
        const mqb_status status = c.call->status();
        if (status != MQB_OK && (s.about.derived || s.q().needs_service))
            skip("create answered " + c.call->why() + (s.about.derived ? " (no conformance.json)" : ""));
        require(status == MQB_OK, rules::create, "create answered " + c.call->why() + " for " + r.config);
        require(c.made, rules::made, "create answered OK and made nothing");
        require(threads_now() == threads, rules::create, "create started a thread");
        checkpoint();
        // These check the required slots.
        if (s.about.kind == MQB_ENDPOINT && side == MQB_SIDE_CONSUMER) s.make_consumer().close();
        if ((s.about.kind == MQB_ENDPOINT && side == MQB_SIDE_PUBLISHER) || s.about.kind == MQB_HANDLER) s.make_publisher().close();
        free_made(s.about, side, c.made, host);
        checkpoint();
    }
    std::this_thread::sleep_for(s.q().quiet / 4);
}

void create_garbage(stage& s) {
    boost::system::error_code ec;
    const json::value v = json::parse(as_string(as_known(s.factory()).schema), ec);
    const json::object schema = v.is_object() ? v.get_object() : json::object();
    for (std::uint32_t side : sides_of(s.about))
        for (const auto& [what, text] : garbage(schema, side == MQB_SIDE_CONSUMER ? s.about.consumer : s.about.publisher)) {
            recipe r = whole(s, side);
            r.config = s.where.fill(text);
            mqb_status promised;
            promises_of(r, &promised);
            fake_host& host = fake_host::make(nullptr);
            host.enter_state(fake_host::state::creating);
            const creation c = conformance::create(r, host);
            if (c.call->status() == MQB_OK) {
                require(c.made, rules::made, "create answered OK and made nothing, given " + what);
                free_made(s.about, side, c.made, host);
            } else if (c.call->explained().empty()) {
                warn("create refused a wrong configuration without saying why");
            }
            checkpoint();
        }
}

void create_free_leaks(stage& s) {
    constexpr int cycles = 200;
    const auto sides = sides_of(s.about);
    const auto one = [&](std::uint32_t side) {
        const recipe r = whole(s, side);
        fake_host& host = fake_host::make(nullptr);
        host.enter_state(fake_host::state::creating);
        const creation c = conformance::create(r, host);
        if (c.call->status() != MQB_OK) skip("create answered " + c.call->why());
        free_made(s.about, side, c.made, host);
    };
    for (std::uint32_t side : sides)
        for (int i = 0; i < 10; ++i) one(side);  // what a library keeps for ever it has now
    const auto threads = threads_now();
    const int descriptors = descriptors_now();
    const std::size_t before = mallinfo2().uordblks;
    for (int i = 0; i < cycles; ++i) one(sides[static_cast<std::size_t>(i) % sides.size()]);
    const std::size_t after = mallinfo2().uordblks;
    for (int wait = 0; wait < 50 && threads_now().size() > threads.size(); ++wait) std::this_thread::sleep_for(10ms);
    if (!s.q().keeps_threads) require(threads_now().size() <= threads.size(), rules::free_quiet, "threads are left after free");
    require(descriptors_now() <= descriptors, rules::free_quiet,
            std::to_string(descriptors_now() - descriptors) + " descriptors are left after " + std::to_string(cycles) +
                " times create and free");
    // The kit itself keeps some kilobytes of each round for ever.
    constexpr std::size_t own = 8192;
    if (after > before + cycles * own)
        warn(std::to_string((after - before) / cycles - own / 2) + " bytes or so are left of each create and free");
}

}  // namespace mqb::conformance::cases
