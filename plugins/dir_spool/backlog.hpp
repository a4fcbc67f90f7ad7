// Backlog: the chunks that a reader knows of: listed and not yet given, given and not yet settled, and given back.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "id_set.hpp"

namespace mqb::dir_spool {

// Names are the paths of payloads; the chunk under a name is told by the id that it has when it names none. One thread at a time.
class backlog {
public:
    using clock = std::chrono::steady_clock;

    // `remembers`: what was given is never listed again, since it stays where it is.
    explicit backlog(bool remembers) : remembers_(remembers) {}
    void clear() { *this = backlog(remembers_); }

    // What a listing may leave out: what is out by now, and what was ever given.
    bool is_out(std::string_view payload) const { return out_.contains(std::string(payload)); }
    bool was_given(const sdk::message_id& chunk) { return given_.find(chunk); }
    // No chunk behind this name was ever given.
    const std::string& last_given() const noexcept { return last_given_; }
    // Who lists everything that is there asks for each of them in between, or gives it; what is not there is forgotten.
    void begin_listing() { given_.begin_look(); }
    void end_listing() { given_.end_look(); }
    // What was listed, in order. Only when nothing waits.
    void refill(std::vector<std::string> listed);

    // The next one to be given, or null. What was given back and is due comes at its old place.
    const std::string* next(clock::time_point now);
    std::optional<clock::time_point> next_due() const;
    // Of the next one: how often it has been given, this time included; it is out from here on. Under its name there may be another
    // chunk by now than was given before.
    std::uint32_t give(const sdk::message_id& chunk);
    // The next one is not there any more.
    void skip();

    void settled(const std::string& payload) { out_.erase(payload); }
    void returned(const std::string& payload, std::optional<clock::time_point> due);

    std::size_t waiting() const noexcept { return waiting_.size(); }
    std::size_t unsettled() const noexcept { return out_.size() - delayed_.size(); }
    bool has_delayed() const noexcept { return !delayed_.empty(); }

private:
    struct giving {
        sdk::message_id chunk{};
        std::uint32_t times = 0;
    };
    void put_in_place(std::string payload);

    bool remembers_;
    std::deque<std::string> waiting_;              // in order
    std::unordered_map<std::string, giving> out_;  // unsettled or delayed
    std::multimap<clock::time_point, std::string> delayed_;
    std::unordered_map<std::string, giving> again_;  // of those in waiting_ that were given before
    id_set given_;                                   // empty, unless it remembers
    std::string last_given_;                         // in order
};

}  // namespace mqb::dir_spool
