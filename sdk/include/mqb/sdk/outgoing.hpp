// outgoing: a call that a middleware makes of its inner side: the struct, and where its end is reported.
#pragma once

#include <mqb/sdk/call.hpp>

#include <vector>

namespace mqb::sdk {

// A member of the middleware, or of what it keeps for one operation; stays in place from start to end. Started again after that.
// Threads: the host delivers everything of a middleware one at a time, so neither this nor its owner needs a lock.
//   Raw: mqb_receive, mqb_settle, mqb_send, mqb_control.
template <class Raw>
class outgoing {
public:
    outgoing() = default;
    outgoing(const outgoing&) = delete;

    Raw& raw() noexcept { return frame_.raw; }
    // From within a function of the raw call, such as answer.
    static outgoing& from(Raw& raw) noexcept { return of(&raw.call); }
    template <class Owner>
    Owner& owner() const noexcept {
        return *static_cast<Owner*>(owner_);
    }
    std::uint64_t id() const noexcept { return head().operation; }
    bool is_running() const noexcept { return is_running_; }
    // What was said of an entry, or of the whole call, while it ran.
    const std::string& text(std::uint32_t entry = MQB_WHOLE_CALL) const noexcept {
        static const std::string none;
        for (const auto& [about, said] : texts_)
            if (about == entry) return said;
        return none;
    }
    // Passes on to `call` what was said of the whole.
    template <class Call>
    void explain_to(const Call& call) const {
        if (!text().empty()) call.explain(text());
    }

    // Fills the head; the rest of raw() is for the caller, and stays as it was left. Then: answer = run([&] { start }, ended, owner).
    // Done or a failure: it is over. Pending: ended(owner, answer) comes later, with the other events of the middleware.
    template <class Owner, class Start>
    status run(Start&& start, void (*ended)(Owner&, status), Owner& owner) {
        head() = mqb_call{sizeof(Raw), 0, detail::next_operation(), done, explain};
        frame_.self = this;
        texts_.clear();
        owner_ = &owner;
        ended_ = reinterpret_cast<void (*)()>(ended);
        report_ = [](outgoing& self, status answer) {
            reinterpret_cast<void (*)(Owner&, status)>(self.ended_)(*static_cast<Owner*>(self.owner_), answer);
        };
        is_running_ = true;
        const mqb_status answer = std::forward<Start>(start)(&frame_.raw);
        if (answer != MQB_PENDING) is_running_ = false;
        return static_cast<status>(answer);
    }

private:
    struct frame {
        Raw raw;
        outgoing* self;
    };
    mqb_call& head() noexcept { return frame_.raw.call; }
    const mqb_call& head() const noexcept { return frame_.raw.call; }
    static outgoing& of(mqb_call* call) noexcept { return *reinterpret_cast<frame*>(call)->self; }
    static void done(mqb_call* call, mqb_status answer) {
        outgoing& self = of(call);
        self.is_running_ = false;
        self.report_(self, static_cast<status>(answer));
    }
    static void explain(mqb_call* call, std::uint32_t entry, mqb_text said) {
        outgoing& self = of(call);
        for (auto& [about, text] : self.texts_)
            if (about == entry) return void(text = view(said));
        self.texts_.emplace_back(entry, view(said));
    }

    frame frame_{};
    bool is_running_ = false;
    void* owner_ = nullptr;
    void (*ended_)() = nullptr;
    void (*report_)(outgoing&, status) = nullptr;
    std::vector<std::pair<std::uint32_t, std::string>> texts_;
};

}  // namespace mqb::sdk
