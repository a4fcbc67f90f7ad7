// switch_publisher: sends each message to one of several endpoints.
#pragma once

#include "core/structural/branching_publisher.hpp"
#include "core/structural/switch_choice.hpp"

namespace mqb::core {

// What takes no branch is refused. The messages of one branch keep their order; all parts of a send are sent at once. A send of which
// every message takes the same branch is given on as it is. Used by one route.
class switch_publisher final : public branching_publisher {
public:
    switch_publisher(std::vector<branch> all, bool keeps_order, switch_choice choice)
        : branching_publisher(std::move(all), keeps_order), choice_(std::move(choice)) {}

private:
    struct places final : notes {
        std::vector<std::uint32_t> branch_of;  // of each message; as many as branches: none
    };
    [[nodiscard]] std::unique_ptr<notes> make_notes() const override { return std::make_unique<places>(); }
    void divide(one_send& s) override;
    void collect(one_send& s) override;

    switch_choice choice_;
};

}  // namespace mqb::core
