#include "core/templates/text_template.hpp"

#include "core/templates/template_parser.hpp"

#include <algorithm>
#include <utility>

namespace mqb::core::templates {

const std::string& text_template::source() const noexcept { return code_->source; }
bool text_template::is_constant() const noexcept { return code_->parts.empty(); }
const std::string& text_template::constant() const noexcept { return code_->constant; }
bool text_template::reads_message() const noexcept { return code_->reads_message; }
bool text_template::generates() const noexcept { return code_->generates; }

expressions::outcome<text_template> compile(std::string_view source, escaping how) {
    if (source.size() > longest_template)
        return expressions::mistake{0, 1, "the template is longer than " + std::to_string(longest_template >> 20) + " MiB"};
    auto made = std::make_shared<template_code>();
    made->source = source;
    made->escapes_json = how == escaping::json;
    made->is_path = how == escaping::path;
    try {
        template_parser{*made}.run();
    } catch (const expressions::mistake& why) { return why; }
    if (!made->reads_message && !made->generates) {
        if (!made->parts.empty()) made->constant = std::move(made->parts.front().text);
        made->parts.clear();
    }
    return text_template{std::move(made)};
}

}  // namespace mqb::core::templates
