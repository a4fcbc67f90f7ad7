#include "host/commands/eval.hpp"

#include "core/expressions/evaluator.hpp"
#include "core/middlewares/metadata_edit.hpp"
#include "host/commands/commands.hpp"

#include <fstream>
#include <iostream>
#include <optional>

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

int tell(const std::string& expression, const language::mistake& m, exit_code code) {
    std::cerr << language::with_caret(expression, m);
    return code;
}

}  // namespace

int evaluate(const eval_options& options) {
    const auto compiled =
        language::compile(options.expression, options.is_filter ? language::purpose::filter : language::purpose::transform);
    if (!compiled) return tell(options.expression, compiled.error(), exit_bad_input);
    const auto payload = payload_of(options.message);
    const auto metadata = metadata_of(options.metadata);
    if (!payload || !metadata) return exit_bad_input;
    core::buffer bytes;
    if (options.has_message) {
        bytes.data = reinterpret_cast<const std::uint8_t*>(payload->data());
        bytes.size = payload->size();
    }
    language::evaluator evaluator;
    if (options.is_filter) {
        const auto result = evaluator.holds(*compiled, bytes, metadata->get());
        if (!result) return tell(options.expression, result.error(), exit_failed);
        return std::cout << (*result ? "true\n" : "false\n") << std::flush ? exit_done : exit_failed;
    }
    const auto result = evaluator.json(*compiled, bytes, metadata->get());
    if (!result) return tell(options.expression, result.error(), exit_failed);
    return std::cout << *result << '\n' << std::flush ? exit_done : exit_failed;
}

}  // namespace mqb::host
