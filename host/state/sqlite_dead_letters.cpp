#include "host/state/sqlite_dead_letters.hpp"

#include "host/state/letter_writer.hpp"

#include <utility>

namespace mqb::state {

namespace {

class route_letters final : public core::dead_letter_store {
public:
    route_letters(letter_writer& writer, std::string route, std::uint64_t max_bytes, core::mailbox& box, core::logger& log)
        : writer_(writer), route_(std::move(route)), max_bytes_(max_bytes), box_(box), log_(log) {}

    core::status bury(core::bury_call& c) override {
        if (c.letters.empty()) return core::status::ok;
        auto made = std::make_unique<route_burial>();
        made->call = &c;
        made->box = &box_;
        made->route = &route_;
        made->max_bytes = max_bytes_;
        made->store = this;
        made->deliver = [](core::mail& m) noexcept { static_cast<route_burial&>(m).store->come_back(static_cast<route_burial&>(m)); };
        c.below = static_cast<burial*>(made.get());
        writer_.submit(*made.release());
        return core::status::pending;
    }
    void cancel(core::call& c) override {
        auto* one = static_cast<burial*>(c.below);
        if (!one || !writer_.withdraw(*one)) return;
        one->answer = core::status::cancelled;
        box_.put(*one);
    }

private:
    struct route_burial : burial {
        route_letters* store = nullptr;
    };
    // The call's `done` may destroy the call and this store: nothing is touched after it.
    void come_back(route_burial& m) noexcept {
        const std::unique_ptr<route_burial> one{&m};
        core::call& c = *one->call;
        c.below = nullptr;
        if (one->answer != core::status::ok && !one->text.empty()) c.texts.set(core::whole_call, one->text);
        if (one->is_near && one->answer == core::status::ok)
            log_.write(core::log_level::warning, route_, "", "its dead letters have taken four fifths of dead_letters.max_bytes");
        c.done(c, one->answer);
    }

    letter_writer& writer_;
    std::string route_;
    std::uint64_t max_bytes_;
    core::mailbox& box_;
    core::logger& log_;
};

}  // namespace

core::result<std::unique_ptr<sqlite_dead_letters>> sqlite_dead_letters::open(const std::filesystem::path& file, letter_limits limits) {
    auto writer = letter_writer::open(file, std::move(limits));
    if (!writer) return writer.error();
    return std::unique_ptr<sqlite_dead_letters>{new sqlite_dead_letters{std::move(*writer)}};
}

sqlite_dead_letters::sqlite_dead_letters(std::unique_ptr<letter_writer> writer) : writer_(std::move(writer)) {}

sqlite_dead_letters::~sqlite_dead_letters() = default;

std::unique_ptr<core::dead_letter_store> sqlite_dead_letters::open(const std::string& route, std::uint64_t max_bytes, core::mailbox& box,
                                                                   core::logger& log) {
    return std::make_unique<route_letters>(*writer_, route, max_bytes, box, log);
}

}  // namespace mqb::state
