// offer: what a plugin offers, as types: the arguments of MQB_PLUGIN.
//
//   offer_endpoint<"name", config, my_consumer, my_publisher>     either may be `none`
//   offer_middleware<"name", config, my_consumer, my_publisher>   for inputs and for outputs; either may be `none`
//   offer_handler<"name", config, my_handler>
//   offer_store<"name", config, my_store>
//   offer_table<"id", object>                                     an optional table for other plugins
//
// Each class has a constructor (const context &, config) and may have `static promises promise(const config &)`; of a middleware
// `static void promise(const config &, promises &)`, which changes what the inner side promises. Nothing is promised otherwise.
#pragma once

#include <mqb/sdk/option_parse.hpp>
#include <mqb/sdk/option_schema.hpp>
#include <mqb/sdk/promises.hpp>
#include <mqb/sdk/publisher.hpp>

#include <memory>

namespace mqb::sdk {

// A text as a template argument.
template <std::size_t Size>
struct fixed_text {
    char data[Size]{};
    constexpr fixed_text(const char (&text)[Size]) {
        for (std::size_t i = 0; i < Size; ++i) data[i] = text[i];
    }
};

// A side that is not offered.
struct none {};

namespace detail {

template <fixed_text Text>
inline constexpr mqb_text static_text = {Text.data, sizeof(Text.data) - 1};

template <class T, class Config>
concept states_promises = requires(const Config& config) {
    promises(T::promise(config));
};
template <class T, class Config>
concept changes_promises = requires(const Config& config, promises& inner) {
    T::promise(config, inner);
};

// What kind of handle a class is, and the table for it. Specialised beside each base that needs another edge.
template <class T>
struct edge_of;
// A base with an edge of its own says so: `using own_edge = void;`.
template <class T>
concept has_own_edge = requires {
    typename T::own_edge;
};
template <class T>
requires(std::derived_from<T, consumer> && !has_own_edge<T>) struct edge_of<T> : consumer_edge<T> {
};
template <class T>
requires(std::derived_from<T, publisher> && !has_own_edge<T>) struct edge_of<T> : publisher_edge<T> {
};

template <class T, class Config>
void promise_of(const Config& config, promises& to) {
    if constexpr (std::same_as<T, none>)
        throw bad_config("this side is not offered");
    else if constexpr (changes_promises<T, Config>)
        T::promise(config, to);
    else if constexpr (states_promises<T, Config>)
        to = T::promise(config);
}

template <class T, class Config>
void make_instance(mqb_create& raw, const Config& config) {
    if constexpr (std::same_as<T, none>) {
        throw bad_config("this side is not offered");
    } else {
        auto made = std::make_unique<typename edge_of<T>::made_type>(context(raw), config);
        made->table = &edge_of<T>::table;
        if constexpr (std::derived_from<T, consumer> && states_promises<T, Config>)
            made->dispositions = promises(T::promise(config)).dispositions;
        raw.made = edge_of<T>::handle_of(*made.release());
    }
}

// The two functions of a factory. Handlers and stores are made by Consumer, whatever they are.
template <class Config, class Consumer, class Publisher>
struct factory_edge {
    static mqb_status promise(mqb_promise* raw) noexcept {
        return at_the_edge(raw->call, MQB_BAD_CONFIG, [&] {
            const Config config = parse_config<Config>(view(raw->config), raw->side);
            promises answer;
            copy_promises(answer, *raw->promises);
            if (raw->side == MQB_SIDE_PUBLISHER)
                promise_of<Publisher>(config, answer);
            else
                promise_of<Consumer>(config, answer);
            copy_promises(*raw->promises, answer);
        });
    }
    static mqb_status create(mqb_create* raw) noexcept {
        return at_the_edge(raw->call, MQB_RETRY, [&] {
            const Config config = parse_config<Config>(view(raw->config), raw->side);
            if (raw->side == MQB_SIDE_PUBLISHER)
                make_instance<Publisher>(*raw, config);
            else
                make_instance<Consumer>(*raw, config);
        });
    }
};

template <std::uint32_t Kind, fixed_text Name, class Config, class Consumer, class Publisher>
struct offer {
    static constexpr std::uint32_t sides = Kind == MQB_HANDLER || Kind == MQB_STORE
                                               ? 0u
                                               : (std::same_as<Consumer, none> ? 0u : std::uint32_t{MQB_SIDE_CONSUMER}) |
                                                     (std::same_as<Publisher, none> ? 0u : std::uint32_t{MQB_SIDE_PUBLISHER});
    static constexpr mqb_factory factory = {sizeof(mqb_factory),
                                            Kind,
                                            sides,
                                            0,
                                            static_text<Name>,
                                            {schema_storage<Config>.data(), schema_storage<Config>.size()},
                                            factory_edge<Config, Consumer, Publisher>::promise,
                                            factory_edge<Config, Consumer, Publisher>::create};
};

}  // namespace detail

template <fixed_text Name, class Config, class Consumer, class Publisher = none>
struct offer_endpoint : detail::offer<MQB_ENDPOINT, Name, Config, Consumer, Publisher> {};
template <fixed_text Name, class Config, class Consumer, class Publisher = none>
struct offer_middleware : detail::offer<MQB_MIDDLEWARE, Name, Config, Consumer, Publisher> {};
template <fixed_text Name, class Config, class Handler>
struct offer_handler : detail::offer<MQB_HANDLER, Name, Config, Handler, none> {};
template <fixed_text Name, class Config, class Store>
struct offer_store : detail::offer<MQB_STORE, Name, Config, Store, none> {};
template <fixed_text Id, const auto& Object>
struct offer_table {
    static constexpr std::string_view id{Id.data, sizeof(Id.data) - 1};
    static constexpr const void* object = &Object;
};

}  // namespace mqb::sdk
