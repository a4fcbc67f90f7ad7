#include "host/commands/eval.hpp"

#include "core/expressions/evaluator.hpp"
#include "core/middlewares/metadata_edit.hpp"
#include "core/templates/renderer.hpp"
#include "host/commands/commands.hpp"

#include <chrono>
#include <fstream>
#include <iostream>
#include <optional>
#include <utility>

namespace mqb::host {

namespace {

namespace language = core::expressions;

constexpr std::size_t largest_payload = 100u << 20;
constexpr std::size_t longest_key = 0xffff;

std::optional<std::string> read_all(std::istream& from, const std::string& name) {
    std::string out;
    char part[1 << 16];
    while (from.read(part, sizeof part), from.gcount() > 0) {
        out.append(part, static_cast<std::size_t>(from.gcount()));
        if (out.size() <= largest_payload) continue;
        std::cerr << name << ": longer than " << (largest_payload >> 20) << " MiB\n";
        return std::nullopt;
    }
    if (!from.bad()) return out;
    std::cerr << name << ": cannot be read\n";
    return std::nullopt;
}

std::optional<std::string> payload_of(const std::string& message) {
    if (message == "-") return read_all(std::cin, "standard input");
    if (!message.starts_with('@')) return message;
    const std::string name = message.substr(1);
    std::ifstream file{name, std::ios::binary};
    // A folder opens, and is told when it is read.
    if (file && (file.peek(), !file.bad())) return read_all(file, name);
    std::cerr << name << ": cannot be read\n";
    return std::nullopt;
}

std::optional<core::counted_block> metadata_of(const std::vector<std::string>& entries) {
    core::counted_block block;
    for (const std::string& e : entries) {
        const std::size_t end = e.find('=');
        if (end == 0 || end == std::string::npos || end > longest_key) {
            std::cerr << "mqbridge eval: --metadata takes KEY=VALUE, not \"" << e.substr(0, 80) << "\"\n";
            return std::nullopt;
        }
        const core::text_edit edit[] = {{std::string_view{e}.substr(0, end), std::string_view{e}.substr(end + 1)}};
        block = core::edited(block.get(), edit);
        if (block.get().is_null()) {
            std::cerr << "mqbridge eval: a message does not hold so much metadata\n";
            return std::nullopt;
        }
    }
    return block;
}

struct message_given {
    std::string payload;
    bool has_payload;
    core::counted_block metadata;

    [[nodiscard]] core::buffer bytes() const {
        if (!has_payload) return {};
        return {reinterpret_cast<const std::uint8_t*>(payload.data()), payload.size(), nullptr};
    }
};

// None: what is wrong was told.
std::optional<message_given> given_message(const eval_options& options) {
    auto payload = payload_of(options.message);
    auto metadata = metadata_of(options.metadata);
    if (!payload || !metadata) return std::nullopt;
    return message_given{std::move(*payload), options.has_message, std::move(*metadata)};
}

int tell(const std::string& expression, const language::mistake& m, exit_code code) {
    std::cerr << language::with_caret(expression, m);
    return code;
}

int render(const core::templates::text_template& from, const core::buffer& payload, const core::buffer& metadata) {
    core::message of;
    of.payload = payload;
    of.metadata = metadata;
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    core::message_ids ids;
    ids.start(static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count()));
    ids.write(of.id);
    std::string text;
    const auto made = core::templates::renderer{}.append(text, from, of);
    if (!made.is_whole()) std::cerr << core::templates::why_not(from, made) << '\n';
    if (made.what == core::templates::rendered::too_long) return exit_failed;
    return std::cout << text << '\n' << std::flush ? exit_done : exit_failed;
}

}  // namespace

int evaluate(const eval_options& options) {
    if (options.is_template) {
        const auto made = core::templates::compile(options.expression);
        if (!made) return tell(options.expression, made.error(), exit_bad_input);
        const auto given = given_message(options);
        return given ? render(*made, given->bytes(), given->metadata.get()) : exit_bad_input;
    }
    const auto compiled =
        language::compile(options.expression, options.is_filter ? language::purpose::filter : language::purpose::transform);
    if (!compiled) return tell(options.expression, compiled.error(), exit_bad_input);
    const auto given = given_message(options);
    if (!given) return exit_bad_input;
    language::evaluator evaluator;
    if (options.is_filter) {
        const auto result = evaluator.holds(*compiled, given->bytes(), given->metadata.get());
        if (!result) return tell(options.expression, result.error(), exit_failed);
        return std::cout << (*result ? "true\n" : "false\n") << std::flush ? exit_done : exit_failed;
    }
    const auto result = evaluator.json(*compiled, given->bytes(), given->metadata.get());
    if (!result) return tell(options.expression, result.error(), exit_failed);
    return std::cout << *result << '\n' << std::flush ? exit_done : exit_failed;
}

}  // namespace mqb::host
