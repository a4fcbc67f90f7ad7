// ledger_dead: what becomes of a message that can never be delivered.
#include "core/broken_record.hpp"
#include "core/ledger_ops.hpp"

#include <algorithm>
#include <utility>

namespace mqb::core {

std::string_view to_text(death why) noexcept {
    switch (why) {
        case death::refused: return "refused";
        case death::given_up: return "exhausted";
        case death::max_deliveries: return "max_deliveries";
    }
    return "";
}

// A batch with records that are none: those are buried, and only the others are given on.
status ledger::present_sound(ledger_batch& b, receive_call& upper) {
    auto p = std::make_unique<presentation>();
    b.untouched = false;
    b.first.freed = true;  // nobody has it as a whole
    const std::uint64_t now = clock_.now_wall();
    for (std::uint32_t i = 0; i < b.messages.count; ++i) {
        if (!is_broken_record(b.messages[i])) {
            b.states[i] = entry_state::open_again;
            ++b.presented;
            p->places.push_back({&b, i});
            p->messages.push_back(b.messages.copy(i));
            continue;
        }
        failure_note& note = b.redelivery_of(i).note;
        note.endpoint = policy_.input;
        const std::string_view reason = reason_of_broken_record(b.messages[i]);
        note.error = policy_.listener ? policy_.listener->without_secrets(reason) : std::string{reason};
        note.attempts = 1;
        note.first_at = note.last_at = now;
        die(b, i, death::refused);
    }
    if (!p->places.empty()) {
        upper.messages = message_list{std::span<const message>{p->messages}};
        upper.batch = p.get();
        again_.push_back(std::move(p));
    }
    if (dying_) bury_collected();
    advance_all();  // what the source itself takes back
    return status::ok;
}

void ledger::die(ledger_batch& b, std::uint32_t index, death why) {
    const failure_note& note = b.redelivery_of(index).note;
    if (policy_.on_error == error_policy::reject && (promised_.dispositions & bit(disposition::reject))) {
        settle_entry e;
        e.index = index;
        e.what = disposition::reject;
        e.reason = {note.error.data(), note.error.size()};
        return decide(b, e, fate::rejected);
    }
    if (policy_.on_error == error_policy::stop || !policy_.store) return stop_for(b, index);
    longest_dead_row_ = std::max(longest_dead_row_, ++dead_in_a_row_);
    if (!dying_) dying_ = std::make_unique<bury_op>();
    b.states[index] = entry_state::burying;
    dying_->places.push_back({&b, index});
    dying_->why.push_back(why);
}

// The message stays where it is and comes again from the source, later.
void ledger::stop_for(ledger_batch& b, std::uint32_t index) {
    b.states[index] = entry_state::waiting;
    const failure_note& note = b.redelivery_of(index).note;
    if (!policy_.listener) return;
    const char* what = is_broken_record(b.messages[index]) ? ": a record cannot be read" : ": refused a message";
    policy_.listener->on_undeliverable(note.endpoint + what + (note.error.empty() ? "" : ": " + note.error));
}

// In parts, so that a store which has room for some of them takes those.
void ledger::bury_collected() {
    constexpr std::size_t most_letters = 128;
    const std::unique_ptr<bury_op> collected = std::move(dying_);
    std::vector<bury_op*> parts;
    for (std::size_t from = 0; from < collected->places.size(); from += most_letters) {
        bury_op& op = *burials_.emplace_back(std::make_unique<bury_op>());
        parts.push_back(&op);
        const std::size_t count = std::min(most_letters, collected->places.size() - from);
        for (std::size_t k = from; k < from + count; ++k) add_letter(op, collected->places[k], collected->why[k]);
    }
    for (bury_op* op : parts) {
        op->self = this;
        op->done = [](call& c, status answer) noexcept {
            auto& ended = static_cast<bury_op&>(c);
            ended.self->buried(ended, answer);
        };
        op->letters = op->all;
        op->is_running = true;
        const status answer = policy_.store->bury(*op);
        if (answer != status::pending) buried(*op, answer);
    }
}

void ledger::add_letter(bury_op& op, const entry_place& place, death why) {
    const auto [b, index] = place;
    ++b->calls;
    ++burying_;
    op.places.push_back(place);
    const message* what = &b->messages[index];
    if (is_broken_record(*what)) {
        const text_edit reason{broken_key};
        message& record = op.records.emplace_back(b->messages.copy(index));
        record.metadata = op.blocks.emplace_back(edited(record.metadata, {&reason, 1})).get();
        what = &record;
    }
    op.all.push_back({policy_.route, why, &b->redelivery_of(index).note, what});
}

void ledger::buried(bury_op& op, status answer) {
    op.is_running = false;
    burying_ -= op.places.size();
    for (const auto& [b, index] : op.places) {
        --b->calls;
        book_burial(*b, index, answer);
        to_advance_.push_back(b);
    }
    const std::string text{op.texts.best(whole_call)};
    if (answer != status::ok) {  // they will die once more
        dead_in_a_row_ -= std::min(dead_in_a_row_, static_cast<std::uint32_t>(op.places.size()));
        longest_dead_row_ = dead_in_a_row_;
    }
    std::erase_if(burials_, [&](const auto& x) { return x.get() == &op; });
    advance_queued();
    release_all_done();
    check_endings();
    wake_parked_receive();
    if (!policy_.listener || answer == status::cancelled) return;
    if (answer != status::ok)
        policy_.listener->on_dead_letters_stop("the dead letters cannot be written: " +
                                               (text.empty() ? std::string{to_text(answer)} : text));
    else if (policy_.stop_after && longest_dead_row_ >= policy_.stop_after)
        policy_.listener->on_dead_letters_stop(std::to_string(longest_dead_row_) + " messages in a row were dead-lettered");
}

// A message whose lane has died meanwhile comes again from the source. One that could not be written goes back there, if it takes it.
void ledger::book_burial(ledger_batch& b, std::uint32_t index, status answer) {
    if (promised_.unit == settle_unit::prefix && !b.group(index).lane->takes_settles()) {
        make_final(b, index, fate::returned);
        return forget_final(*b.group(index).lane);
    }
    // A part of it has gone back to the source meanwhile, and so does the rest of it.
    if (promised_.unit == settle_unit::batch && b.gives_back) return make_final(b, index, fate::returned);
    settle_entry e;
    e.index = index;
    if (answer == status::ok) {
        constexpr std::string_view reason = "dead_lettered";
        e.reason = {reason.data(), reason.size()};
        return decide(b, e, fate::dead_lettered);
    }
    const std::uint64_t pause = pause_before(b.redelivery_of(index).presentations);
    if (!(promised_.dispositions & bit(disposition::nack))) {
        if (presents_) return wait_for_again(b, index, pause);
        b.states[index] = entry_state::open_again;  // undecided, and nobody has it
        return return_one(b, index);
    }
    constexpr std::string_view reason = "the dead letters cannot be written";
    e.what = disposition::nack;
    e.delay_ns = pause;
    e.reason = {reason.data(), reason.size()};
    decide(b, e, fate::nacked);
}

void ledger::resume() {
    dead_in_a_row_ = longest_dead_row_ = 0;
    wake_parked_receive();
}

void ledger::cancel_burials() {
    for (auto& op : burials_)
        if (op->is_running) policy_.store->cancel(*op);
}

}  // namespace mqb::core
