// plugin: the door of a plugin, made from what it offers: MQB_PLUGIN("name", "1.0.0", "MIT", offer, …) in one source file.
#pragma once

#include <mqb/sdk/offer.hpp>

namespace mqb::sdk::detail {

template <class Offer>
concept is_factory = requires {
    Offer::factory;
};

template <class... Offers>
struct door {
    static constexpr std::uint32_t count = (std::uint32_t{is_factory<Offers>} + ... + 0u);
    static constexpr std::array<const mqb_factory*, count> list() {
        std::array<const mqb_factory*, count> all{};
        std::size_t at = 0;
        const auto put = [&]<class Offer>(const Offer*) {
            if constexpr (is_factory<Offer>) all[at++] = &Offer::factory;
        };
        (put(static_cast<const Offers*>(nullptr)), ...);
        return all;
    }
    static constexpr std::array<const mqb_factory*, count> factories = list();

    static const void* table(mqb_text id) noexcept {
        const void* found = nullptr;
        const auto look = [&]<class Offer>(const Offer*) {
            if constexpr (!is_factory<Offer>)
                if (Offer::id == view(id)) found = Offer::object;
        };
        (look(static_cast<const Offers*>(nullptr)), ...);
        return found;
    }
    static constexpr mqb_plugin plugin(mqb_text name, mqb_text version, mqb_text licence) {
        return {sizeof(mqb_plugin),
                MQB_ABI_DRAFT,
                name,
                version,
                licence,
                factories.data(),
                count,
                0,
                count == sizeof...(Offers) ? nullptr : table};
    }
};

template <std::size_t Size>
constexpr mqb_text literal(const char (&text)[Size]) {
    return {text, Size - 1};
}

}  // namespace mqb::sdk::detail

#define MQB_PLUGIN(name, version, licence, ...)                                                                   \
    extern "C" MQB_EXPORT const mqb_plugin* mqb_plugin_v1(void) {                                                 \
        namespace edge = ::mqb::sdk::detail;                                                                      \
        static constexpr mqb_plugin plugin =                                                                      \
            edge::door<__VA_ARGS__>::plugin(edge::literal(name), edge::literal(version), edge::literal(licence)); \
        return &plugin;                                                                                           \
    }                                                                                                             \
    static_assert(true, "")
