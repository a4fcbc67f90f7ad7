// lent_children: everything that is lent to one instance, and what of a call's memory it has lent on through that.
#pragma once

#include "host/loading/lent.hpp"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mqb::loading {

// A handle that is lent, and the JSON pointer at which it stands in the configuration; empty for the inner side.
struct lent_child {
    std::string path;
    std::unique_ptr<lent> what;
};

// Filled before create; then the route's side, but for what its members say.
class lent_children {
public:
    void add(std::string path, std::unique_ptr<lent> what) { all_.push_back({std::move(path), std::move(what)}); }
    [[nodiscard]] const std::vector<lent_child>& all() const noexcept { return all_; }

    [[nodiscard]] bool is_idle() const;
    // Ends all their calls; see lent::end_all.
    void end_all(const std::function<void()>& on_idle);

    // Whether a call in flight has an array that lies in one of these lists of the call that the instance itself has to answer.
    [[nodiscard]] bool are_using(const mqb_list& elements, const mqb_list& outcomes) const noexcept;
    void stop_using(const mqb_list& elements, const mqb_list& outcomes) noexcept;

private:
    std::vector<lent_child> all_;
};

}  // namespace mqb::loading
