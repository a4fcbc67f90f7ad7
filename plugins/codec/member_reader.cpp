#include "codec/member_reader.hpp"

#include <algorithm>
#include <string>

#include "codec/broken.hpp"

namespace mqb::codec {

bool member_reader::begins(std::string_view from) {
    if (may_begin(kind_, from)) {
        if (from.size() < longest_magic && (kind_ != compression::gzip || from.size() < 2)) return false;
        decompressor_->begin();
        where_ = place::inside;
    } else if (where_ == place::start) {
        const compression other = compression_of_bytes(from);
        throw broken("does not begin with a " + std::string(name_of(kind_)) + " magic header" +
                     (other == compression::none ? "" : " but with one of " + std::string(name_of(other))));
    } else {
        where_ = place::garbage;
    }
    begin_ = taken_;
    return true;
}

member_reader::progress member_reader::read(std::string_view from, std::span<char> to) {
    if (!problem_.empty()) throw broken(problem_);
    progress all;
    while (where_ != place::garbage) {
        if (where_ == place::behind) {
            const std::size_t padding = std::min(from.find_first_not_of('\0'), from.size());
            from.remove_prefix(padding);
            taken_ += padding;
            all.taken += padding;
        }
        if (where_ != place::inside && (from.empty() || !begins(from))) return all;
        if (where_ != place::inside) break;
        decompressor::progress made;
        try {
            made = decompressor_->run(from, to);
        } catch (const broken& damaged) {
            if (all.given == 0) throw;
            problem_ = damaged.what();
            return all;
        }
        from.remove_prefix(made.taken);
        to = to.subspan(made.given);
        taken_ += made.taken;
        all.taken += made.taken;
        all.given += made.given;
        if (made.ended)
            where_ = place::behind;
        else if (to.empty() || (made.taken == 0 && made.given == 0))
            return all;
    }
    all.taken += from.size();
    taken_ += from.size();
    return all;
}

}  // namespace mqb::codec
