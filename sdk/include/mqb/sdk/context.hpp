// context: what the host tells an instance when it is made. Valid inside the constructor; copy what is needed longer.
#pragma once

#include <mqb/sdk/option.hpp>

namespace mqb::sdk {

class context {
public:
    explicit context(mqb_create& raw) noexcept : raw_(&raw) {}

    mqb_create& raw() const noexcept { return *raw_; }
    host_ref host() const noexcept { return host_ref(raw_->host); }  // log, clocks and table only, until the first call
    std::uint32_t side() const noexcept { return raw_->side; }
    bool drains() const noexcept { return raw_->drain != 0; }
    std::uint32_t concurrency() const noexcept { return raw_->concurrency; }
    std::uint32_t batch_messages() const noexcept { return raw_->batch_messages; }
    std::uint64_t byte_budget() const noexcept { return raw_->byte_budget; }
    std::string_view route() const noexcept { return view(raw_->route); }
    std::string_view path() const noexcept { return view(raw_->path); }
    std::string_view instance() const noexcept { return view(raw_->instance); }
    std::string_view directory() const noexcept { return view(raw_->directory); }  // private, kept between runs; may be empty

    // The inner side of a middleware, or what a child_field of the configuration names; null when there is none.
    mqb_consumer* consumer_child(std::string_view path) const noexcept { return child<mqb_consumer>(path, MQB_SIDE_CONSUMER); }
    mqb_publisher* publisher_child(std::string_view path) const noexcept { return child<mqb_publisher>(path, MQB_SIDE_PUBLISHER); }
    mqb_store* store_child(std::string_view path) const noexcept { return child<mqb_store>(path, 0); }
    // An optional table of another plugin.
    template <class Table>
    const Table* table_of(std::string_view plugin, std::string_view id) const noexcept {
        return static_cast<const Table*>(raw_->host->table->table_of(raw_->host, text_of(plugin), text_of(id)));
    }

private:
    template <class Handle>
    Handle* child(std::string_view path, std::uint32_t kind) const noexcept {
        for (std::uint32_t i = 0; i < raw_->children.count; ++i) {
            const mqb_child* one = mqb_child_at(&raw_->children, i);
            if (one->kind == kind && view(one->path) == path) return static_cast<Handle*>(one->handle);
        }
        return nullptr;
    }
    mqb_create* raw_;
};

}  // namespace mqb::sdk
