// Handle: one instance of the plugin with its host, from create to free; what consumer, publisher and store have in common.
#pragma once
#include "fake_host.hpp"
#include "subject.hpp"

#include <algorithm>
#include <random>

namespace mqb::conformance {

// Where a case works: a fresh directory and a fresh name.
struct place {
    std::string scratch, topic;
    std::string fill(std::string text) const;  // ${SCRATCH} and ${TOPIC}
};

// What an instance is made from.
struct recipe {
    const mqb_factory* factory = nullptr;
    std::string config;  // filled
    std::uint32_t side = 0;
    std::vector<mqb_child> children = {};
    mqb_promises inner = {};  // of a middleware's inner side
    const quirks* q = nullptr;
    place where = {};
    bool drain = false;
};

mqb_promises promises_of(const recipe&, mqb_status* status = nullptr);

// Runs create. Gives the made handle or null, and the operation for status and texts.
struct creation {
    void* made;
    operation* call;
};
creation create(const recipe&, fake_host&);

constexpr std::uint64_t unknown_operation = 0x77777777;

template <class Face, class Table>
class handle {
public:
    handle(const handle&) = delete;
    handle& operator=(const handle&) = delete;
    virtual ~handle() = default;

    Face* self() const { return self_; }
    const Table& slots() const { return slots_; }
    const mqb_promises& promises() const { return promises_; }
    bool promises_to(std::uint32_t flag) const { return (promises_.flags & flag) != 0; }
    fake_host& host() const { return host_; }
    const quirks& q() const { return *recipe_.q; }
    std::recursive_mutex* serial() { return recipe_.factory && is_middleware() ? &serial_ : nullptr; }

    operation& start_connect() {
        operation& op = operation::make<mqb_call>(name("connect"));
        if (slots_.connect)
            fly(op).start([&] { return slots_.connect(self_, op.head()); }, serial());
        else
            op.start([] { return MQB_OK; });
        return op;
    }
    mqb_status connect() {
        operation& op = start_connect();
        const mqb_status s = op.answer(q().patience * 2);
        if (s != MQB_OK && q().needs_service) skip(std::string(name("connect")) + ": " + op.why());
        require(s == MQB_OK, rules::connect, std::string(name("connect")) + " answered " + op.why());
        return s;
    }
    // [any] for an endpoint.
    void cancel(std::uint64_t id) {
        std::unique_lock<std::recursive_mutex> turn;
        if (serial()) turn = std::unique_lock(*serial());
        inside_now().cancel = true;
        try {
            enter(name("cancel"), [&] { return slots_.cancel(self_, id), 0; });
        } catch (...) {
            inside_now().cancel = false;
            throw;
        }
        inside_now().cancel = false;
    }
    // What a host does: cancels what is in flight, waits, ends timers, frees.
    virtual void close() {
        if (!self_) return;
        land();
        host_.end_timers();
        host_.enter_state(fake_host::state::freeing);
        enter(name("free"), [&] { return slots_.free(self_), 0; });
        host_.enter_state(fake_host::state::freed);
        self_ = nullptr;
    }
    bool closed() const { return !self_; }

protected:
    // kind: the noun in reports, a literal.
    handle(recipe r, const char* kind) : host_(fake_host::make(is_middleware(r) ? &serial_ : nullptr)), recipe_(std::move(r)), kind_(kind) {
        promises_ = promises_of(recipe_);
        creation c = create(recipe_, host_);
        if (c.call->status() != MQB_OK) {
            if (recipe_.q->needs_service) skip("create: " + c.call->why());
            fail(rules::create, "create answered " + c.call->why() + " for " + recipe_.config);
        }
        require(c.made != nullptr, rules::made, "create answered OK and made nothing");
        self_ = static_cast<Face*>(c.made);
        require(self_->table != nullptr, rules::growth, std::string("the ") + kind + " has no table");
        slots_ = as_known(self_->table);
    }
    static bool is_middleware(const recipe& r) { return as_known(r.factory).kind == MQB_MIDDLEWARE; }
    bool is_middleware() const { return is_middleware(recipe_); }

    operation& fly(operation& op) {
        flying_.push_back(&op);
        return op;
    }
    void land() {
        for (operation* op : flying_)
            if (!op->finished()) cancel(op->id());
        for (operation* op : flying_) op->answer(q().patience);
        flying_.clear();
    }
    const char* name(const char* slot) {  // kept for ever, for reports of late calls
        static std::mutex guard;
        static std::set<std::string> names;
        std::lock_guard lock(guard);
        return names.insert(std::string(kind_) + "." + slot).first->c_str();
    }
    void require_slot(bool there, const rule& r, const char* slot) {
        if (there) return;
        // Without its required slots nothing can be done with the handle, not even free it.
        self_ = nullptr;
        fail(r, std::string(kind_) + " has no " + slot + (slots_.struct_size < sizeof(Table) ? " (its table is short)" : ""));
    }

    std::recursive_mutex serial_;
    fake_host& host_;
    recipe recipe_;
    const char* kind_;
    Face* self_ = nullptr;
    Table slots_{};
    mqb_promises promises_{};
    std::vector<operation*> flying_;
};

}  // namespace mqb::conformance
