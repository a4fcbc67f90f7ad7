// text_template: a text with `${…}` in it that was compiled: immutable, small to copy, shared by any number of renderers on any threads.
//
//   template := (character | "$${" | "${" token "}")*                 "$${" is the text "${"
//   token    := space [":" selector] ["|" filter]                     blanks around each part say nothing
//   space    := "payload" | "metadata" | "message" | "gen" | "env"    another one: the token is text, as it is written
//   filter   := "raw" | "base64"
#pragma once

#include "core/expressions/mistake.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace mqb::core::templates {

// json: what comes from the message is put into a JSON text. Inside of quotes all of it is escaped, outside of them texts are.
// path: the text is the path of a file, whose folders stand in the template. A value is a part of one name: it has no value where it is
// empty, has a `/` or a U+0000, or makes a name `.` or `..`.
enum class escaping { none, json, path };

// More is a mistake.
constexpr std::size_t longest_template = 16u << 20;

struct template_code;

class text_template {
public:
    [[nodiscard]] const std::string& source() const noexcept;
    // Whether its text is the same for every message: no token but `${env:…}` is in it.
    [[nodiscard]] bool is_constant() const noexcept;
    // Of a constant one.
    [[nodiscard]] const std::string& constant() const noexcept;
    // Whether something of the message is in it.
    [[nodiscard]] bool reads_message() const noexcept;
    // Whether it has a `${gen:…}`, so that the same message may have another text the next time.
    [[nodiscard]] bool generates() const noexcept;

    [[nodiscard]] const template_code& internal() const noexcept { return *code_; }

private:
    explicit text_template(std::shared_ptr<const template_code> c) noexcept : code_(std::move(c)) {}
    friend expressions::outcome<text_template> compile(std::string_view source, escaping how);
    std::shared_ptr<const template_code> code_;
};

// Everything that can be known without a message is checked here; `${env:…}` is what the environment says now.
[[nodiscard]] expressions::outcome<text_template> compile(std::string_view source, escaping how = escaping::none);

}  // namespace mqb::core::templates
