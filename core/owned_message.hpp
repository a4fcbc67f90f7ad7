// owned_message: a message that outlives the call it came in. Retains what has an owner, copies what has none.
#pragma once

#include "core/message.hpp"

#include <memory>
#include <utility>

namespace mqb::core {

// Not thread-safe; may be moved between threads.
class owned_message {
public:
    owned_message() = default;
    explicit owned_message(const message& from) : value_(from) {
        keep(value_.payload, payload_copy_);
        keep(value_.metadata, metadata_copy_);
    }
    owned_message(owned_message&& other) noexcept
        : value_(std::exchange(other.value_, message{})), payload_copy_(std::move(other.payload_copy_)),
          metadata_copy_(std::move(other.metadata_copy_)) {}
    owned_message& operator=(owned_message&& other) noexcept {
        std::swap(value_, other.value_);
        std::swap(payload_copy_, other.payload_copy_);
        std::swap(metadata_copy_, other.metadata_copy_);
        return *this;
    }
    ~owned_message() {
        release(value_.payload);
        release(value_.metadata);
    }

    [[nodiscard]] const message& get() const noexcept { return value_; }

private:
    using bytes = std::unique_ptr<std::uint8_t[]>;

    static void keep(buffer& b, bytes& copy) {
        if (b.owner) {
            b.owner->retain(b.owner);
        } else if (b.data) {
            copy.reset(new std::uint8_t[b.size + 1]);
            if (b.size) std::memcpy(copy.get(), b.data, b.size);
            b.data = copy.get();
        }
    }
    static void release(buffer& b) noexcept {
        if (b.owner) b.owner->release(b.owner);
    }

    message value_;
    bytes payload_copy_;
    bytes metadata_copy_;
};

}  // namespace mqb::core
