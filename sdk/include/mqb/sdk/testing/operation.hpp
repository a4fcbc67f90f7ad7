// operation: one call of a test, whether it answers at once or later, with the texts that came with it.
#pragma once

#include <mqb/call.h>
#include <mqb/sdk/status.hpp>
#include <mqb/sdk/testing/host.hpp>

#include <atomic>

namespace mqb::sdk::testing {

// The call struct is the base of the test's own struct: Raw begins with mqb_call. Threads: completed on any, waited for on the test's.
template <class Raw>
class operation {
public:
    explicit operation(host& with) : host_(&with) {
        frame_.raw = Raw{};
        mqb_call& head = reinterpret_cast<mqb_call&>(frame_.raw);
        head.struct_size = sizeof(Raw);
        head.operation = next();
        head.done = done;
        head.explain = explain;
        frame_.self = this;
    }
    operation(const operation&) = delete;

    Raw& raw() noexcept { return frame_.raw; }
    static operation& of_raw(Raw& raw) noexcept { return *reinterpret_cast<frame*>(&raw)->self; }
    std::uint64_t id() noexcept { return reinterpret_cast<mqb_call&>(frame_.raw).operation; }
    // What the start answered.
    void started(mqb_status answer) {
        std::lock_guard lock(mutex_);
        if (answer == MQB_PENDING)
            was_pending_ = true;
        else
            answer_ = answer;
    }
    bool is_done() {
        std::lock_guard lock(mutex_);
        return answer_ != MQB_PENDING;
    }
    bool was_pending() const noexcept { return was_pending_; }
    // Lets the timers of the host run meanwhile. Pending: it did not end within ten seconds.
    status wait(std::chrono::milliseconds patience = std::chrono::seconds(10)) {
        const auto end = std::chrono::steady_clock::now() + patience;
        std::unique_lock lock(mutex_);
        while (answer_ == MQB_PENDING && std::chrono::steady_clock::now() < end) {
            lock.unlock();
            host_->run_timers();
            lock.lock();
            if (answer_ == MQB_PENDING) ended_.wait_for(lock, std::chrono::milliseconds(1));
        }
        return static_cast<status>(answer_);
    }
    std::uint32_t completions() {
        std::lock_guard lock(mutex_);
        return completions_;
    }
    std::string text(std::uint32_t entry = MQB_WHOLE_CALL) {
        std::lock_guard lock(mutex_);
        return texts_[entry];
    }

private:
    struct frame {
        Raw raw;
        operation* self;
    };
    static std::uint64_t next() {
        static std::atomic<std::uint64_t> last{0};
        return ++last;
    }
    static operation& of(mqb_call* call) noexcept { return *reinterpret_cast<frame*>(call)->self; }
    static void done(mqb_call* call, mqb_status answer) {
        operation& self = of(call);
        std::lock_guard lock(self.mutex_);
        self.answer_ = answer;
        ++self.completions_;
        self.ended_.notify_all();
    }
    static void explain(mqb_call* call, std::uint32_t entry, mqb_text text) {
        std::lock_guard lock(of(call).mutex_);
        of(call).texts_[entry] = view(text);
    }

    host* host_;
    frame frame_;
    std::mutex mutex_;
    std::condition_variable ended_;
    mqb_status answer_ = MQB_PENDING;
    bool was_pending_ = false;
    std::uint32_t completions_ = 0;
    std::map<std::uint32_t, std::string> texts_;
};

}  // namespace mqb::sdk::testing
