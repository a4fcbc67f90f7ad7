#include "target.hpp"

#include <algorithm>
#include <exception>

namespace mqb::file {
namespace {

// Of the file systems here; a file of ours has a neighbour with this behind its name.
constexpr std::size_t longest_name = 255, longest_path = 4095;
constexpr std::string_view neighbour = ".writing";

std::string_view why_no_path(std::string_view path) {
    if (path.empty()) return "its path is empty";
    if (path.size() + neighbour.size() > longest_path) return "its path is too long";
    if (path == "-" || path == standard_input || path == standard_output) return "its path is a standard stream";
    for (std::size_t begin = 0; begin <= path.size();) {
        const std::size_t end = std::min(path.find('/', begin), path.size());
        const bool is_last = end == path.size();
        if (end - begin > longest_name - (is_last ? neighbour.size() : 0)) return "a name in its path is too long";
        if (is_last && end == begin) return "its path ends with a /";
        begin = end + 1;
    }
    if (path.ends_with(neighbour)) return "its path ends with .writing, as a file beside another one does";
    return {};
}

constexpr std::string_view no_values =
    "its path has no value, or one that is no part of a name: empty, with a / or U+0000, or a name that is . or ..";

// What the publisher of one file is asked, and what it says.
struct part_call : mqb_send {
    part_call(std::vector<mqb_message>& sent, std::vector<mqb_outcome>& results,
              std::vector<std::pair<std::uint32_t, std::string>>& explained)
        : mqb_send{}, texts(explained) {
        call.struct_size = sizeof(mqb_send);
        call.explain = [](mqb_call* self, std::uint32_t index, mqb_text text) {
            part_call& mine = *reinterpret_cast<part_call*>(self);
            if (index == MQB_WHOLE_CALL)
                mine.why = sdk::view(text);
            else
                mine.texts.emplace_back(index, sdk::view(text));
        };
        messages = mqb_list_of(sent.data(), static_cast<std::uint32_t>(sent.size()), sizeof(mqb_message));
        outcomes = mqb_list_of(results.data(), static_cast<std::uint32_t>(results.size()), sizeof(mqb_outcome));
    }
    std::vector<std::pair<std::uint32_t, std::string>>& texts;
    std::string why;
};

}  // namespace

target::target(const sdk::context& made, config chosen)
    : sdk::publisher(made), config_(std::move(chosen)), files_(made.raw().host, config_) {
    if (!config_.path.has_tokens()) one_.emplace(made, config_);
}

// Where a file is rolled in the middle of a send, what is behind that in other files is not taken back.
sdk::promises target::promise(const config& chosen) {
    if (!chosen.path.has_tokens()) return file::publisher::promise(chosen);
    return chosen.rolls() ? sdk::promises{}.ordered() : sdk::promises{}.ordered().ordered_retry();
}

void target::connect() {
    if (one_) one_->connect();
}

sdk::status target::send(sdk::send_call& call) { return one_ ? one_->send(call) : send_to_files(call); }

sdk::status target::send_to_files(sdk::send_call& call) {
    if (const std::string why = files_.drop_unsynced(); !why.empty()) return call.fail(sdk::status::disconnected, why);
    for (std::uint32_t first = 0; first < call.size();) {
        const std::uint32_t end = gather(call, first);
        for (std::size_t i = 0; i < count_; ++i) {
            const auto [answer, why] = write(groups_[i]);
            if (answer == sdk::status::done) continue;
            for (std::size_t k = 0; k < i; ++k) take_back(groups_[k], why);
            for (std::size_t k = 0; k <= i; ++k) tell(call, groups_[k]);
            if (answer != sdk::status::retry) files_.drop(groups_[i].path);
            return call.fail(answer, why);
        }
        for (std::size_t i = 0; i < count_; ++i) tell(call, groups_[i]);
        for (const auto& [index, why] : refused_) call.refused(index, sdk::join("file target: ", why));
        first = end;
    }
    return sdk::status::done;
}

std::uint32_t target::gather(const sdk::send_call& call, std::uint32_t first) {
    count_ = 0;
    place_of_.clear();
    refused_.clear();
    for (std::uint32_t i = first; i < call.size(); ++i) {
        mqb_message message;
        mqb_message_copy(&call.raw().messages, i, &message);
        if (const std::string_view why = fault_of(message); !why.empty()) {
            refused_.emplace_back(i, why);
            continue;
        }
        const auto known = place_of_.find(path_);
        if (known == place_of_.end() && count_ == config_.max_open_files) return i;
        group& g = known == place_of_.end() ? group_of(path_) : groups_[known->second];
        g.messages.push_back(message);
        g.indexes.push_back(i);
    }
    return call.size();
}

target::group& target::group_of(const std::string& path) {
    if (count_ == groups_.size()) groups_.emplace_back();
    place_of_.emplace(path, count_);
    group& g = groups_[count_++];
    g.path = path;
    g.messages.clear();
    g.indexes.clear();
    g.texts.clear();
    g.refused_why.clear();
    return g;
}

std::string_view target::fault_of(const mqb_message& message) {
    return host().render(config_.path.tokens(), message, path_) ? why_no_path(path_) : no_values;
}

std::pair<sdk::status, std::string> target::write(group& g) {
    g.outcomes.assign(g.messages.size(), mqb_outcome{});
    part_call part(g.messages, g.outcomes, g.texts);
    try {
        file::publisher& file = files_.open(g.path);
        sdk::send_call call(part, file);
        const sdk::status answer = file.send(call);
        return {answer, std::move(part.why)};
    } catch (const sdk::failure& failed) {
        if (failed.answer != sdk::status::bad_config || files_.find(g.path)) return {failed.answer, failed.what()};
        // This file alone: it is a folder, say, or begins with what nothing can be put behind.
        g.refused_why = failed.what();
        return {sdk::status::done, {}};
    } catch (const std::exception& failed) {
        // No memory, no thread: what is in this file of the batch goes, as what is in the others.
        if (file::publisher* const file = files_.find(g.path)) (void)file->take_back();
        return {sdk::status::retry, sdk::join("file target '", g.path, "': ", failed.what())};
    }
}

void target::take_back(group& g, const std::string& why) {
    file::publisher* const file = g.refused_why.empty() ? files_.find(g.path) : nullptr;
    if (file && !file->take_back()) return;
    g.texts.clear();
    g.refused_why.clear();
    for (std::size_t i = 0; i < g.outcomes.size(); ++i) {
        g.outcomes[i].result = MQB_AGAIN;
        g.texts.emplace_back(static_cast<std::uint32_t>(i), why + "; what went to other files was taken back");
    }
}

void target::tell(const sdk::send_call& call, const group& g) {
    for (std::size_t i = 0; i < g.indexes.size(); ++i) {
        if (!g.refused_why.empty()) {
            call.refused(g.indexes[i], g.refused_why);
            continue;
        }
        mqb_outcome& to = call.outcome(g.indexes[i]);
        to.result = g.outcomes[i].result;
        to.number = g.outcomes[i].number;
    }
    for (const auto& [place, text] : g.texts) call.explain(g.indexes[place], text);
}

}  // namespace mqb::file
