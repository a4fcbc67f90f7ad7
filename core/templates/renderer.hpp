// renderer: puts the values of messages into templates. It keeps its memory between them; one thread, any number of templates.
#pragma once

#include "core/expressions/json_document.hpp"
#include "core/message.hpp"
#include "core/message_ids.hpp"
#include "core/templates/template_code.hpp"
#include "core/templates/text_template.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace mqb::core::templates {

// whole: every token has a value. partial: a token has none, or one that text cannot say; it is empty, or U+FFFD stands in it.
// too_long: nothing is written.
enum class rendered : std::uint8_t { whole, partial, too_long };

// What a token lacks.
enum class lack : std::uint8_t { value, json, file_name };

struct rendering {
    rendered what = rendered::whole;
    lack of = lack::value;
    std::uint32_t part = 0;        // partial: the first such token
    std::string_view reason = {};  // static; empty: there is nothing of that name

    [[nodiscard]] bool is_whole() const noexcept { return what == rendered::whole; }
};

class renderer {
public:
    // Of what is made of one message.
    static constexpr std::size_t longest_text = 64u << 20;
    // ns since 1970. Any thread.
    using wall_clock = std::uint64_t (*)() noexcept;

    renderer();
    explicit renderer(wall_clock clock);

    // Behind `to`. Nothing is allocated where the room of `to` is enough and the payload is not looked into.
    [[nodiscard]] rendering append(std::string& to, const text_template& from, const message& of);

private:
    enum class payload_state : std::uint8_t { unread, good, broken };
    // Of one message.
    struct task;

    void write(task& t, const template_part& part);
    void write_field(task& t, const template_part& part);
    void write_payload(task& t, const template_part& part);
    void write_metadata(task& t, const template_part& part);
    void write_generated(task& t, const template_part& part, std::uint64_t number);
    // As the part wants it. is_plain: it needs no escapes.
    void put(task& t, const template_part& part, std::string_view text, bool is_plain = false);
    // Of a path: a name ends there, and the next one begins behind it.
    static void end_name(task& t, std::size_t end);
    [[nodiscard]] bool read_payload(task& t);
    [[nodiscard]] expressions::value field_of(const template_part& part) const;
    void shrink() noexcept;
    [[nodiscard]] std::uint64_t random_bits() noexcept;

    wall_clock clock_;
    message_ids ids_;
    std::uint64_t random_;
    expressions::json_document document_;
    expressions::arena memory_;
    std::string scratch_;
};

// What is wrong with a rendering that is not whole, for people.
[[nodiscard]] std::string why_not(const text_template& from, const rendering& what);

}  // namespace mqb::core::templates
