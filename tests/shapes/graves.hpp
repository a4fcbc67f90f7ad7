// graves: where the tests' dead letters go: a store for whole routes, and an endpoint for `dlq`. Any thread.
#pragma once

#include "core/dead_letters.hpp"
#include "core/registry.hpp"
#include "tests/shapes/queue_store.hpp"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>

namespace mqb::shapes {

class graves final : public core::dead_letter_stores {
public:
    // What was buried, and how often; what was said about it.
    struct grave {
        std::uint32_t times = 0;
        std::string text;  // "refused output: the script said so, 1"
    };
    // The chance that nothing can be written.
    explicit graves(std::uint64_t seed = 1, double fails = 0) : random_(static_cast<std::uint32_t>(seed)), fails_(fails) {}

    std::unique_ptr<core::dead_letter_store> open(const std::string& route, std::uint64_t max_bytes, core::mailbox& box,
                                                  core::logger& log) override;
    // False: not now.
    bool bury(identity id, std::string text);
    [[nodiscard]] std::map<identity, grave> all() const;
    [[nodiscard]] bool has(identity id) const;
    void fail(double chance) { fails_ = chance; }

private:
    mutable std::mutex mutex_;
    std::map<identity, grave> all_;
    std::minstd_rand random_;
    std::atomic<double> fails_;
};

// The endpoint "grave" over it.
[[nodiscard]] std::shared_ptr<core::endpoint_factory> grave_endpoint(graves& into);

}  // namespace mqb::shapes
