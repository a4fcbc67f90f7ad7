#include "host/loading/create.hpp"

#include "host/loading/abi_text.hpp"
#include "host/loading/disposable_thread.hpp"
#include "host/loading/layout.hpp"
#include "host/loading/lent_consumer.hpp"
#include "host/loading/lent_publisher.hpp"
#include "host/loading/nested_fields.hpp"
#include "host/loading/null_fill.hpp"
#include "host/loading/plugin_consumer.hpp"
#include "host/loading/plugin_publisher.hpp"
#include "host/loading/plugin_store.hpp"

#include <boost/asio/use_awaitable.hpp>

#include <utility>

namespace mqb::loading {

namespace asio = boost::asio;

creation::creation(offered what, std::shared_ptr<plugin_services> services, core::instance_context context, std::string config,
                   std::uint32_t side)
    : what_(std::move(what)), services_(std::move(services)), context_(std::move(context)), config_(std::move(config)), side_(side),
      instance_(std::make_shared<plugin_instance>(what_.from, what_.from->place(context_.route, context_.path), context_,
                                                  services_->checking || is_checking_asked_for())) {}

core::failure creation::failed(core::status what, std::string_view why) const {
    return {what, instance_->door().site(entry_point::create).text() + " " + std::string{why}};
}

core::result<void> creation::prepare() {
    if (services_->prepare) {
        core::result<prepared_config> prepared = services_->prepare(what_.factory->schema, config_);
        if (!prepared) return prepared.error();
        config_ = std::move(prepared->json);
        instance_->host().set_render(std::move(prepared->render));
    }
    for (const lent_child& child : instance_->children())
        children_.push_back({child.what->kind(), 0, text_of(child.path), child.what->handle()});
    face_.self = this;
    mqb_create& c = face_.base;
    c.call = {sizeof c, 0, 0, nullptr, &on_explain};
    c.host = instance_->host().handle();
    c.config = text_of(config_);
    c.side = side_;
    c.drain = context_.drain;
    c.concurrency = context_.concurrency;
    c.batch_messages = context_.batch_messages;
    c.byte_budget = context_.byte_budget;
    c.route = text_of(context_.route);
    c.path = text_of(context_.path);
    c.instance = text_of(context_.instance);
    c.directory = text_of(context_.directory);
    c.children = mqb_list_of(children_.data(), static_cast<std::uint32_t>(children_.size()), sizeof(mqb_child));
    c.made = nullptr;
    return {};
}

void creation::on_explain(mqb_call* call, std::uint32_t, mqb_text text) try {
    creation& self = *reinterpret_cast<create_face*>(call)->self;
    std::lock_guard lock{self.mutex_};
    self.text_ = readable(view(text));
} catch (...) {}  // no memory for a text

void creation::call_create() noexcept {
    answer_ = instance_->door().call(entry_point::create, MQB_BAD_CONFIG, [this] { return what_.factory->table.create(&face_.base); });
}

asio::awaitable<core::result<void>> creation::nest(std::shared_ptr<creation> self) {
    const core::result<std::vector<nested_field>> fields = nested_fields(self->what_.factory->schema, self->config_);
    if (!fields) co_return core::failure{fields.error().what, self->instance_->door().place().plugin + ": " + fields.error().text};
    const auto fault = [](const nested_field& f, std::string_view why) {
        return core::failure{core::status::bad_config, (f.path.empty() ? "" : f.path + ": ") + std::string{why}};
    };
    for (const nested_field& f : *fields) {
        if (f.kind == offer_kind::store) co_return fault(f, "a store, which no route can lend yet");
        const std::shared_ptr<core::nested_endpoints> by = self->context_.nested;
        if (!by) co_return fault(f, "there is no endpoint here");
        const auto which = static_cast<core::side>(f.side ? f.side : self->side_ ? self->side_ : core::publisher_side);
        const core::result<core::promises> promised = by->promise(f.path, which);
        if (!promised) co_return promised.error();
        if (which == core::consumer_side) {
            auto making = by->make_consumer(f.path);
            auto made = co_await std::move(making);
            if (!made) co_return made.error();
            self->lend<lent_consumer>(f.path, self->instance_->nested().add(std::move(*made)), promised->unit);
        } else {
            auto making = by->make_publisher(f.path);
            auto made = co_await std::move(making);
            if (!made) co_return made.error();
            const bool may_overlap = promised->has(core::promises::concurrent | core::promises::ordered_retry);
            self->lend<lent_publisher>(f.path, self->instance_->nested().add(std::move(*made)), may_overlap);
        }
    }
    co_return core::result<void>{};
}

void creation::give_up(bool has_made) {
    unused_ = instance_->nested().take();
    if (has_made)
        instance_->let_go();
    else
        instance_->let_go_unmade();
}

asio::awaitable<void> creation::close_unused(std::shared_ptr<creation> self) {
    for (auto& part : self->unused_) {
        auto closing = part->close_unused(self->context_.box);
        co_await std::move(closing);
    }
    self->unused_.clear();
}

asio::awaitable<core::result<void>> creation::run(std::shared_ptr<creation> self) {
    auto trying = try_to_run(self);
    core::result<void> made = co_await std::move(trying);
    if (!made) {
        auto closing = close_unused(self);
        co_await std::move(closing);
    }
    co_return made;
}

asio::awaitable<core::result<void>> creation::try_to_run(std::shared_ptr<creation> self) {
    auto nesting = nest(self);
    const core::result<void> nested = co_await std::move(nesting);
    if (!nested) {
        self->give_up(false);
        co_return nested.error();
    }
    core::result<void> prepared = self->prepare();
    if (!prepared) {
        self->give_up(false);
        co_return prepared.error();
    }
    auto work = limited_work::make();
    std::function<void()> create = [self] { self->call_create(); };
    auto wait = work->async_run(std::move(create), self->services_->create_limit, asio::use_awaitable);
    const work_end end = co_await std::move(wait);
    gate& door = self->instance_->door();
    door.keep_signals(entry_point::create);
    if (end != work_end::in_time) {
        // Whatever it makes belongs to nobody; its thread keeps this alive.
        self->give_up(true);
        const core::status what = end == work_end::late ? core::status::bad_config : core::status::retry;
        co_return self->failed(what, to_text(end, self->services_->create_limit));
    }
    if (self->answer_ == MQB_OK) {
        door.enter_phase(phase::running);
        co_return core::result<void>{};
    }
    std::string text;
    {
        std::lock_guard lock{self->mutex_};
        text = self->text_;
    }
    if (door.has_thrown()) text = door.take_thrown();
    const bool is_known = self->answer_ > MQB_PENDING && self->answer_ <= MQB_UNSUPPORTED;
    const core::status what = is_known ? to_core(self->answer_) : core::status::retry;
    self->give_up(false);
    if (!text.empty()) co_return core::failure{what, std::move(text)};
    const std::string answered = is_known ? std::string{to_text(what)} : "the unknown status " + std::to_string(self->answer_);
    co_return self->failed(what, "answered " + answered);
}

namespace {

// The null-filled table behind a handle. Slot: name of a required one that is missing.
template <class Table, class Handle>
core::result<Table> checked_table(void* made, const gate& door, std::string_view what) {
    const auto* handle = static_cast<const Handle*>(made);
    auto fault = [&](std::string text) { return core::failure{core::status::bad_config, door.place().plugin + ": " + std::move(text)}; };
    if (!handle) return fault("create answered OK and made nothing");
    if (!handle->table) return fault("its " + std::string{what} + " has no table");
    return null_filled(handle->table);
}

core::failure missing(const gate& door, std::string_view what, std::string_view slot) {
    return {core::status::bad_config,
            door.place().plugin + ": the table of its " + std::string{what} + " lacks the required function " + std::string{slot}};
}

}  // namespace

core::result<std::unique_ptr<core::consumer>> creation::consumer(core::consumer* inner) {
    auto table = checked_table<mqb_consumer_table, mqb_consumer>(face_.base.made, instance_->door(), "consumer");
    if (!table) {
        give_up(true);
        return table.error();
    }
    const char* slot = !table->receive      ? "receive"
                       : !table->free_batch ? "free_batch"
                       : !table->cancel     ? "cancel"
                       : !table->free       ? "free"
                                            : nullptr;
    if (slot) {
        give_up(true);
        return missing(instance_->door(), "consumer", slot);
    }
    return std::make_unique<plugin_consumer>(instance_, static_cast<mqb_consumer*>(face_.base.made), *table, inner);
}

core::result<std::unique_ptr<core::publisher>> creation::publisher(core::publisher* inner, bool is_handler, bool keeps_retry_order) {
    auto table = checked_table<mqb_publisher_table, mqb_publisher>(face_.base.made, instance_->door(), "publisher");
    if (!table) {
        give_up(true);
        return table.error();
    }
    const char* slot = !table->send ? "send" : !table->cancel ? "cancel" : !table->free ? "free" : nullptr;
    if (slot) {
        give_up(true);
        return missing(instance_->door(), "publisher", slot);
    }
    return std::make_unique<plugin_publisher>(instance_, static_cast<mqb_publisher*>(face_.base.made), *table, inner, is_handler,
                                              keeps_retry_order);
}

core::result<std::unique_ptr<loading::store>> creation::store() {
    auto table = checked_table<mqb_store_table, mqb_store>(face_.base.made, instance_->door(), "store");
    if (!table) {
        give_up(true);
        return table.error();
    }
    const char* slot = !table->apply ? "apply" : !table->cancel ? "cancel" : !table->free ? "free" : nullptr;
    if (slot) {
        give_up(true);
        return missing(instance_->door(), "store", slot);
    }
    return std::make_unique<plugin_store>(instance_, static_cast<mqb_store*>(face_.base.made), *table);
}

}  // namespace mqb::loading
