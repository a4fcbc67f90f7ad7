// timed_log: a line for whatever happens, with the time: "<milliseconds of the steady clock>.<microseconds> what".
#pragma once

#include <mqb/sdk.hpp>

#include <cstdio>
#include <memory>

namespace mqb::scripted::plugin {

// Threads: open [serial]; add [any].
class timed_log {
public:
    void open(const std::string& path) {
        if (path.empty() || file_) return;
        file_.reset(std::fopen(path.c_str(), "ae"));
        if (!file_) throw sdk::bad_config("log: ", path, " cannot be written");
        std::setvbuf(file_.get(), nullptr, _IOLBF, 1 << 12);  // a whole line or none, also when the process is killed
    }
    template <class... Parts>
    void add(const sdk::host_ref& host, const Parts&... parts) {
        if (!file_) return;
        const std::uint64_t us = host.now() / 1000;
        const std::string what = sdk::join(parts...);
        std::fprintf(file_.get(), "%llu.%03llu %s\n", static_cast<unsigned long long>(us / 1000),
                     static_cast<unsigned long long>(us % 1000), what.c_str());
    }

private:
    struct closer {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    std::unique_ptr<std::FILE, closer> file_;
};

}  // namespace mqb::scripted::plugin
