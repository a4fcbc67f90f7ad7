#include "core/middlewares/merged_batch.hpp"

namespace mqb::core {

void merged_batch::add(const message_list& messages, void* batch) {
    parts_.push_back({batch, count(), messages.count});
    for (std::uint32_t i = 0; i < messages.count; ++i) {
        const message& m = all_.emplace_back(messages.copy(i));
        bytes_ += m.payload.size + m.metadata.size;
    }
}

merged_settle::part_settle& merged_settle::part_at(std::size_t n) {
    while (parts_.size() <= n) {
        part_settle& made = *parts_.emplace_back(std::make_unique<part_settle>());
        made.of = this;
        made.done = [](call& c, status answer) noexcept {
            auto& p = static_cast<part_settle&>(c);
            merged_settle& self = *p.of;
            p.is_pending = false;
            self.collect(p, answer);
            if (--self.pending_ == 0 && !self.is_starting_) self.ended_(self.owner_, self);
        };
    }
    part_settle& p = *parts_[n];
    p.index.clear();
    p.what.clear();
    p.texts.clear();
    return p;
}

status merged_settle::start(settle_call& upper, const merged_batch& batch, consumer& inner, void (*ended)(void* owner, merged_settle& self),
                            void* owner) {
    upper_ = &upper;
    answer_ = status::ok;
    pending_ = 0;
    is_starting_ = true;
    ended_ = ended;
    owner_ = owner;
    std::vector<std::uint32_t> part_of(batch.count());
    for (std::uint32_t n = 0; n < batch.parts().size(); ++n)
        for (std::uint32_t i = 0; i < batch.parts()[n].count; ++i) part_of[batch.parts()[n].first + i] = n;
    for (std::uint32_t n = 0; n < batch.parts().size(); ++n) part_at(n);
    for (std::uint32_t k = 0; k < upper.entries.count; ++k) {
        settle_entry e = upper.entries.copy(k);
        if (e.index >= batch.count()) continue;  // its outcome stays `retry`
        part_settle& p = *parts_[part_of[e.index]];
        e.index -= batch.parts()[part_of[e.index]].first;
        p.index.push_back(k);
        p.what.push_back(e);
    }
    for (std::uint32_t n = 0; n < batch.parts().size(); ++n) {
        part_settle& p = *parts_[n];
        if (p.what.empty()) continue;
        p.came.assign(p.what.size(), outcome{});
        p.batch = batch.parts()[n].batch;
        p.entries = list<const settle_entry>{std::span<const settle_entry>{p.what}};
        p.outcomes = list<outcome>{std::span<outcome>{p.came}};
        p.is_pending = true;
        ++pending_;
        const status came = inner.settle(p);
        if (came == status::pending) continue;
        p.is_pending = false;
        --pending_;
        collect(p, came);
    }
    is_starting_ = false;
    return pending_ != 0 ? status::pending : answer_;
}

void merged_settle::collect(part_settle& p, status answer) {
    if (answer != status::ok) answer_ = answer;
    for (std::size_t k = 0; k < p.index.size(); ++k) upper_->outcomes[p.index[k]] = p.came[k];
    p.texts.each([&](std::uint32_t k, std::string_view text) {
        if (k == whole_call || k < p.index.size()) upper_->texts.set(k == whole_call ? k : p.index[k], text);
    });
}

void merged_settle::cancel(consumer& inner) {
    for (const auto& p : parts_)
        if (p->is_pending) inner.cancel(*p);
}

}  // namespace mqb::core
