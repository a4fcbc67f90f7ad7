// dead_letter_source: reads dead letters as the messages that they were, so that a replay is an ordinary route.
#pragma once

#include "core/consumer.hpp"
#include "core/mailbox.hpp"
#include "core/promises.hpp"
#include "core/registry.hpp"
#include "host/state/letter_archive.hpp"
#include "host/state/letter_json.hpp"
#include "host/state/task_thread.hpp"

#include <filesystem>
#include <memory>
#include <optional>

namespace mqb::state {

// Gives each letter that the filter names once, in the order of their ids, and ends; letters that are stored meanwhile wait for the
// next replay. A message has the id, lane, payload and metadata that it had; its delivery_count is that of the attempts, this one
// included. ack deletes the letter. nack, reject (the reason becomes its error) and a free without any keep it for the next replay
// with one attempt more. The disk is used on a thread of its own.
class dead_letter_source final : public core::consumer {
public:
    // `clean` takes secrets out of an error before it is stored; on the thread. None: nothing is taken out.
    dead_letter_source(std::filesystem::path file, letter_filter filter, core::mailbox& box, text_filter clean = {});
    ~dead_letter_source() override;

    [[nodiscard]] static core::promises promised() noexcept;

    core::status connect(core::call& c) override;
    core::status receive(core::receive_call& c) override;
    core::status settle(core::settle_call& c) override;
    void free_batch(void* batch) override;
    void cancel(core::call& c) override { (void)c; }  // nothing in here waits for anything but the disk
    core::status close(core::call& c) override;
    void listen(core::event_sink* sink) override { (void)sink; }

private:
    struct batch;
    struct answer_mail;

    void run(core::call& c, core::status (dead_letter_source::*work)(core::call& c));
    // On the thread.
    core::status open_archive(core::call& c);
    core::status read(core::call& c);
    core::status record(core::call& c);
    core::status close_archive(core::call& c);
    [[nodiscard]] std::string cleaned(std::string_view error) const;
    [[nodiscard]] core::result<void> record_entries(core::settle_call& c);
    [[nodiscard]] core::result<bool> fill(batch& to, const core::receive_call& c);

    std::filesystem::path file_;
    letter_filter filter_;
    core::mailbox& box_;
    text_filter clean_;
    std::optional<letter_archive> archive_;  // used on the thread only, as are the next two
    std::optional<std::int64_t> last_;       // where the replay ends
    std::int64_t at_ = 0;                    // the last letter given
    std::uint64_t given_ = 0;
    task_thread thread_;  // the last member: it ends before what it uses
};

// The endpoint over it, at inputs only. Its configuration: {"ids", "route", "endpoint", "class", "since", "until", "error", "limit"},
// all optional; since and until in ns since 1970.
class dead_letter_source_factory final : public core::endpoint_factory {
public:
    explicit dead_letter_source_factory(std::filesystem::path file, text_filter clean = {})
        : file_(std::move(file)), clean_(std::move(clean)) {}
    [[nodiscard]] std::uint32_t sides() const noexcept override { return core::consumer_side; }
    [[nodiscard]] std::string_view schema() const noexcept override;
    [[nodiscard]] core::result<core::promises> promise(std::string_view config, core::side which) const override;
    boost::asio::awaitable<core::result<std::unique_ptr<core::consumer>>> make_consumer(core::instance_context context,
                                                                                        std::string config) override;
    boost::asio::awaitable<core::result<std::unique_ptr<core::publisher>>> make_publisher(core::instance_context context,
                                                                                          std::string config) override;

private:
    std::filesystem::path file_;
    text_filter clean_;
};

// The filter as such a configuration, and back.
[[nodiscard]] std::string to_config(const letter_filter& filter);
[[nodiscard]] core::result<letter_filter> filter_of(std::string_view config);

}  // namespace mqb::state
