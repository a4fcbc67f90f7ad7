// fakes: what the tests of the SDK share: factories without configuration, and lists with a longer stride.
#pragma once

#include <mqb/sdk.hpp>
#include <mqb/sdk/testing/handles.hpp>

#include <cstring>

namespace sdk_test {

template <class Consumer, class Publisher = mqb::sdk::none>
const mqb_factory& endpoint() {
    return mqb::sdk::offer_endpoint<"fake", mqb::sdk::no_config, Consumer, Publisher>::factory;
}

// An array whose elements are 16 bytes farther apart than they are long, the rest poisoned: what a debug host gives.
template <class Element>
class strided {
public:
    explicit strided(const std::vector<Element>& from) : bytes_((sizeof(Element) + 16) * from.size() + 1, 0xa5) {
        for (std::size_t i = 0; i < from.size(); ++i) std::memcpy(bytes_.data() + i * (sizeof(Element) + 16), &from[i], sizeof(Element));
        list_ = {bytes_.data(), static_cast<std::uint32_t>(from.size()), sizeof(Element) + 16, sizeof(Element)};
    }
    const mqb_list& list() const { return list_; }
    const Element& operator[](std::uint32_t i) const { return *static_cast<const Element*>(mqb_at(&list_, i)); }
    // Whether nobody wrote between the elements.
    bool is_clean() const {
        for (std::uint32_t i = 0; i < list_.count; ++i)
            for (std::size_t k = 0; k < 16; ++k)
                if (bytes_[i * (sizeof(Element) + 16) + sizeof(Element) + k] != 0xa5) return false;
        return true;
    }

private:
    std::vector<std::uint8_t> bytes_;
    mqb_list list_{};
};

}  // namespace sdk_test
