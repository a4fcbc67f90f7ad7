// Target: the output endpoint. One file, or for each message the file that it names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <mqb/sdk/promises.hpp>
#include <mqb/sdk/publisher.hpp>

#include "config.hpp"
#include "publisher.hpp"
#include "target_files.hpp"

namespace mqb::file {

// Everything answers at once. Of messages for several files as many as name no more than may be open are written together: all of them, or,
// as far as they can be taken back, none.
class target : public sdk::publisher {
public:
    target(const sdk::context& made, config chosen);
    static sdk::promises promise(const config& chosen);

    void connect();
    sdk::status send(sdk::send_call& call);

private:
    // Of one file in the messages that are written together, in order.
    struct group {
        std::string path;
        std::vector<mqb_message> messages;
        std::vector<std::uint32_t> indexes;  // in the call
        std::vector<mqb_outcome> outcomes;
        std::vector<std::pair<std::uint32_t, std::string>> texts;  // by the place in the group
        std::string refused_why;                                   // not empty: there can be no such file
    };

    sdk::status send_to_files(sdk::send_call& call);
    // Sorts messages from `first` on by their files. The answer is behind the last of them.
    std::uint32_t gather(const sdk::send_call& call, std::uint32_t first);
    group& group_of(const std::string& path);
    // Empty, or why the path of this message, in path_, is none.
    std::string_view fault_of(const mqb_message& message);
    // done, or what keeps the file from being written, with its text.
    std::pair<sdk::status, std::string> write(group& g);
    void take_back(group& g, const std::string& why);
    static void tell(const sdk::send_call& call, const group& g);

    const config config_;
    std::optional<file::publisher> one_;  // where the path has no tokens
    target_files files_;
    std::vector<group> groups_;  // the first count_ are in use
    std::size_t count_ = 0;
    std::unordered_map<std::string, std::size_t> place_of_;            // of each path in groups_
    std::vector<std::pair<std::uint32_t, std::string_view>> refused_;  // messages without a path
    std::string path_;
};

}  // namespace mqb::file
