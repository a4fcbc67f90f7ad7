// names: the channels of this process.
#pragma once

#include <mqb/sdk/status.hpp>

#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace mqb::memory {

class broadcast;
class channel;

// Threads: [any], under its lock, which is taken before every other. A name is one of a queue or of a broadcast.
struct names {
    std::mutex mutex;
    std::map<std::string, std::shared_ptr<channel>> queues;
    std::map<std::string, std::shared_ptr<broadcast>> broadcasts;

    static names& of_this_process() {
        static auto* const one = new names;  // never destroyed: the library is never unloaded, threads may be late
        return *one;
    }
    static sdk::failure conflict(const std::string& name) {
        return sdk::bad_config("topic: \"", name,
                               "\" is used with and without subscribe_mode: it has to be the same at all endpoints of a name");
    }
};

}  // namespace mqb::memory
