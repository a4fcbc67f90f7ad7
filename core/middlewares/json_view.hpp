// json_view: a value of a configuration, with its numbers as they are written there.
#pragma once

#include "core/expressions/json_document.hpp"
#include "core/middlewares/transform_coercion.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mqb::core {

// Small, copied freely; lives as long as the document and the arena.
class json_view {
public:
    json_view(const expressions::json_document& document, const expressions::value& v, expressions::arena& memory)
        : document_(&document), value_(v), memory_(&memory) {}

    [[nodiscard]] bool is_object() const noexcept { return value_.is_object(); }
    [[nodiscard]] bool is_list() const noexcept { return value_.is_list(); }
    [[nodiscard]] bool is_text() const noexcept { return value_.is_text(); }
    [[nodiscard]] bool is_null() const noexcept { return value_.is_null(); }
    [[nodiscard]] bool is_true() const noexcept { return value_.what == expressions::kind::boolean && value_.flag; }
    // Of a text.
    [[nodiscard]] std::string text() const { return std::string{plain(value_, *memory_)}; }
    [[nodiscard]] std::string json() const {
        std::string out;
        document_->append(out, value_, *memory_);
        return out;
    }
    // Of an object; none: it has no such member.
    [[nodiscard]] std::optional<json_view> find(std::string_view key) const {
        const std::uint32_t place = is_object() ? document_->place_of_member(value_.at, key) : 0;
        return place == 0 ? std::nullopt : std::optional<json_view>{{*document_, document_->at(place), *memory_}};
    }
    // The same, and none where it is null.
    [[nodiscard]] std::optional<json_view> find_value(std::string_view key) const {
        const auto found = find(key);
        return found && !found->is_null() ? found : std::nullopt;
    }
    [[nodiscard]] std::vector<std::pair<std::string, json_view>> members() const {
        std::vector<std::pair<std::string, json_view>> out;
        for (const expressions::member& m : document_->members_of(value_.at, *memory_))
            out.emplace_back(std::string{m.key}, json_view{*document_, m.what, *memory_});
        return out;
    }
    [[nodiscard]] std::vector<json_view> elements() const {
        std::vector<json_view> out;
        for (const expressions::value& v : document_->elements_of(value_.at, *memory_)) out.emplace_back(*document_, v, *memory_);
        return out;
    }

private:
    const expressions::json_document* document_;
    expressions::value value_;
    expressions::arena* memory_;
};

}  // namespace mqb::core
