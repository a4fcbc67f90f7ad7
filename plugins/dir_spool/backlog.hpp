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

#include "name_set.hpp"

namespace mqb::dir_spool {

// Names are the paths of payloads. One thread at a time.
class backlog {
public:
    using clock = std::chrono::steady_clock;

    // `remembers`: what was given is never listed again, since it stays where it is.
    explicit backlog(bool remembers) : remembers_(remembers) {}
    void clear() { *this = backlog(remembers_); }

    // Whether a listing may leave it out.
    bool knows(std::string_view payload) const { return out_.contains(std::string(payload)) || (remembers_ && given_.contains(payload)); }
    // What was listed, in order. Only when nothing waits.
    void refill(std::vector<std::string> listed);

    // The next one to be given, or null. What was given back and is due comes at its old place.
    const std::string* next(clock::time_point now);
    std::optional<clock::time_point> next_due() const;
    // Of the next one: how often it has been given, this time included; it is out from here on.
    std::uint32_t give();
    // The next one is not there any more.
    void skip() { waiting_.pop_front(); }

    void settled(const std::string& payload) { out_.erase(payload); }
    void returned(const std::string& payload, std::optional<clock::time_point> due);

    std::size_t waiting() const noexcept { return waiting_.size(); }
    std::size_t unsettled() const noexcept { return out_.size() - delayed_.size(); }
    bool has_delayed() const noexcept { return !delayed_.empty(); }

private:
    void put_in_place(std::string payload);

    bool remembers_;
    std::deque<std::string> waiting_;                     // in order
    std::unordered_map<std::string, std::uint32_t> out_;  // unsettled or delayed; how often it was given
    std::multimap<clock::time_point, std::string> delayed_;
    std::unordered_map<std::string, std::uint32_t> again_;  // of those in waiting_ that were given before
    name_set given_;
};

}  // namespace mqb::dir_spool
