// template_parser: makes the parts of a template out of its text. It throws mistakes; compile() ends them.
#pragma once

#include "core/expressions/mistake.hpp"
#include "core/templates/template_code.hpp"

#include <string>
#include <string_view>

namespace mqb::core::templates {

class template_parser {
public:
    explicit template_parser(template_code& to) : to_(to), source_(to.source) {}

    void run();

private:
    // What is between "${" and "}"; `from`: where "${" is.
    void token(std::size_t from, std::size_t end);
    void literal(std::string_view text);
    // True: the token is text that is known already, and was put there.
    bool environment(std::string_view name, template_part& part);
    void payload(std::string_view path, template_part& part) const;
    void message(std::string_view selector, template_part& part) const;
    void generated(std::string_view selector, template_part& part) const;
    void random(std::string_view inside, template_part& part) const;
    [[nodiscard]] token_filter filter(std::string_view name) const;
    // Marks a part of the source, or all of the token where that is empty.
    [[noreturn]] void fail(std::string_view at, std::string text) const;

    template_code& to_;
    const std::string_view source_;
    std::size_t token_at_ = 0, token_size_ = 0;
    std::size_t literal_size_ = 0;  // of all text between tokens
    bool is_in_quotes_ = false, is_behind_backslash_ = false;
};

}  // namespace mqb::core::templates
