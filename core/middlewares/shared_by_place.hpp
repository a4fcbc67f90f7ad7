// shared_by_place: what all instances of one middleware of a route have in common: those of its workers.
#pragma once

#include "core/registry.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace mqb::core {

// Belongs to a factory. Any thread; what is shared is used by several workers at once.
template <class T>
class shared_by_place {
public:
    // What the others at this place have, else `own`; as long as one of them lives.
    [[nodiscard]] std::shared_ptr<T> get(const instance_context& context, std::shared_ptr<T> own) {
        std::lock_guard lock{mutex_};
        std::erase_if(all_, [](const auto& one) { return one.second.expired(); });
        std::weak_ptr<T>& at = all_[context.route + '\n' + context.path];
        if (auto others = at.lock()) return others;
        at = own;
        return own;
    }

private:
    std::mutex mutex_;
    std::map<std::string, std::weak_ptr<T>> all_;  // by route and path
};

}  // namespace mqb::core
