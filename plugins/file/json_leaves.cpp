#include "json_leaves.hpp"

#include "json_string.hpp"
#include "json_walk.hpp"

namespace mqb::file {

bool json_leaves::begin(std::string_view text, bool into_objects) {
    at_ = text.data();
    end_ = at_ + text.size();
    into_objects_ = into_objects;
    names_.clear();
    opened_.clear();
    outer_ = 0;
    skip_white();
    if (at_ == end_ || *at_ != '{') return false;
    ++at_;
    return true;
}

void json_leaves::skip_white() noexcept {
    while (at_ < end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) ++at_;
}

void json_leaves::append_key(std::string_view inside) {
    const std::size_t before = names_.size();
    names_.resize(before + inside.size());
    names_.resize(static_cast<std::size_t>(put_unescaped(names_.data() + before, inside) - names_.data()));
}

bool json_leaves::next() {
    for (;;) {
        skip_white();
        if (*at_ == ',') {
            ++at_;
            skip_white();
        }
        if (*at_ == '}') {
            if (opened_.empty()) return false;
            ++at_;
            outer_ = opened_.back();
            opened_.pop_back();
            continue;
        }
        const char* const key = at_ + 1;
        at_ = behind_json_string(at_, end_);
        const std::string_view inside(key, static_cast<std::size_t>(at_ - 1 - key));
        skip_white();
        ++at_;  // the colon
        skip_white();
        names_.resize(outer_);
        if (into_objects_ && *at_ == '{') {
            opened_.push_back(outer_);
            append_key(inside);
            names_ += '.';
            outer_ = names_.size();
            ++at_;
            continue;
        }
        const char* const begin = at_;
        at_ = behind_json_value(at_, end_);
        value_ = {begin, static_cast<std::size_t>(at_ - begin)};
        // Most keys are what they look like, and stand at the top.
        if (outer_ == 0 && inside.find('\\') == std::string_view::npos) {
            path_ = inside;
        } else {
            append_key(inside);
            path_ = names_;
        }
        return true;
    }
}

}  // namespace mqb::file
