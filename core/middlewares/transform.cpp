#include "core/middlewares/transform.hpp"

#include "core/expressions/evaluator.hpp"
#include "core/middlewares/transform_failure.hpp"
#include "core/middlewares/transform_mapping.hpp"
#include "core/middlewares/transform_schema.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <new>
#include <optional>
#include <system_error>
#include <utility>

namespace mqb::core {

namespace {

constexpr std::string_view error_key = "mqb.transform_error";
constexpr std::uintmax_t largest_schema = 16u << 20;
// What one message may take, beside what is made of it.
constexpr std::size_t most_memory = 64u << 20;
// Of what was made for one message, kept for the next one.
constexpr std::size_t most_kept = 1u << 20;

enum class at_failure { reject, pass_through, drop };

struct transform_config {
    std::optional<transform_mapping> mapping;
    std::optional<expressions::program> expression;
    std::unique_ptr<transform_schema> schema;
    at_failure then = at_failure::reject;
};

class transform_stage final : public message_stage {
public:
    explicit transform_stage(transform_config config) : config_(std::move(config)) {}

    staged apply(message& m, std::vector<counted_block>& made, std::string& why) override {
        try {
            const std::string_view payload = m.payload.text();
            const std::string_view result = transformed(m);
            // Nothing that is configured has changed anything.
            if (result.data() == payload.data() && !m.payload.is_null()) return staged::passes;
            if (m.payload.is_null() && result.empty()) return staged::passes;
            counted_block& block = made.emplace_back(result.size());
            std::memcpy(block.bytes(), result.data(), result.size());
            m.payload = block.get();
            return staged::changed;
        } catch (const transform_failure& failed) { why = failed.text; } catch (const expressions::arena::exhausted&) {
            why = "failed: the message needs more than " + std::to_string(most_memory >> 20) + " MiB of memory";
        } catch (const std::bad_alloc&) { why = "failed: there is no memory"; }
        return failed(m, made, why);
    }

private:
    std::string_view transformed(const message& m) {
        std::string_view now = m.payload.text();
        bool is_there = !m.payload.is_null();
        if (config_.mapping) {
            read(now, is_there);
            begin(mapped_);
            config_.mapping->write(document_, memory_, mapped_);
            now = mapped_;
            is_there = true;
        }
        if (config_.expression) {
            const buffer payload{is_there ? reinterpret_cast<const std::uint8_t*>(now.data()) : nullptr, now.size(), nullptr};
            const auto result = evaluator_.json(*config_.expression, payload, m.metadata);
            if (!result) throw transform_failure("$", "expression", result.error().text);
            now = *result;
            is_there = true;
        }
        if (config_.schema) {
            read(now, is_there);
            begin(checked_);
            config_.schema->shrink();
            if (config_.schema->write(document_, memory_, checked_)) now = checked_;
        }
        return now;
    }

    void read(std::string_view text, bool is_there) {
        memory_.reset();
        document_.shrink();
        if (!is_there) throw transform_failure("$", "parse", "the message has no payload");
        const std::string_view wrong = document_.read(text);
        if (!wrong.empty()) throw transform_failure("$", "parse", "the payload is not structured JSON: " + std::string{wrong});
    }

    static void begin(std::string& text) {
        if (text.capacity() > most_kept) std::string{}.swap(text);
        text.clear();
    }

    staged failed(message& m, std::vector<counted_block>& made, std::string& why) const {
        if (config_.then == at_failure::drop) return staged::discarded;
        if (config_.then == at_failure::reject) return staged::refused;
        const std::string text = "transform " + why;
        const text_edit edit[] = {{error_key, text}};
        counted_block block = edited(m.metadata, edit);
        if (block.get().is_null()) {
            why += "; and its metadata has no room to say so";
            return staged::refused;
        }
        m.metadata = made.emplace_back(std::move(block)).get();
        return staged::changed;
    }

    transform_config config_;
    expressions::json_document document_;
    expressions::arena memory_{most_memory};
    expressions::evaluator evaluator_;
    std::string mapped_, checked_;
};

failure mistake(std::string text, std::string excerpt = {}) { return {status::bad_config, std::move(text), std::move(excerpt)}; }

result<std::string> text_of_file(const std::string& path) {
    const auto broken = [&](const std::string& why) { return mistake("schema_file: " + path + ": " + why); };
    std::error_code failed;
    if (!std::filesystem::is_regular_file(path, failed)) return broken(failed ? failed.message() : "is not a file");
    if (std::filesystem::file_size(path, failed) > largest_schema || failed) return broken("longer than 16 MiB");
    std::ifstream file{path, std::ios::binary};
    if (!file) return broken(std::generic_category().message(errno));
    return std::string{std::istreambuf_iterator<char>{file}, {}};
}

result<std::unique_ptr<transform_schema>> read_schema(const json_view& all, expressions::arena& memory) {
    const auto is_on = [&](const char* key, bool standard) {
        const auto v = all.find_value(key);
        return v ? v->is_true() : standard;
    };
    const transform_schema::options how{is_on("coerce", true), is_on("apply_defaults", true), is_on("coerce_empty_as_null", false)};
    const auto inside = all.find_value("schema"), file = all.find_value("schema_file");
    if (inside && file) return mistake("set either schema or schema_file, not both");
    if (inside) return transform_schema::read(*inside, how);
    if (!file || !file->is_text()) return std::unique_ptr<transform_schema>{};
    const auto text = text_of_file(file->text());
    if (!text) return text.error();
    expressions::json_document document;
    if (const std::string_view wrong = document.read(*text); !wrong.empty())
        return mistake("schema_file: " + file->text() + ": is no JSON: " + std::string{wrong});
    auto made = transform_schema::read({document, document.at(0), memory}, how);
    if (!made) return mistake("schema_file: " + file->text() + ": " + made.error().text);
    return made;
}

result<transform_config> read(const json_view& all) {
    if (!all.is_object()) return mistake("has to be a map");
    transform_config out;
    if (const auto mapping = all.find_value("mapping"); mapping && mapping->is_object() && !mapping->members().empty()) {
        auto made = transform_mapping::read(*mapping);
        if (!made) return made.error();
        out.mapping = std::move(*made);
    }
    if (const auto source = all.find_value("expression"); source && source->is_text()) {
        const std::string text = source->text();
        auto made = expressions::compile(text, expressions::purpose::transform);
        if (!made) return mistake("expression: " + made.error().text, expressions::excerpt(text, made.error()));
        out.expression = std::move(*made);
    }
    expressions::arena memory{most_memory};
    auto schema = read_schema(all, memory);
    if (!schema) return schema.error();
    out.schema = std::move(*schema);
    if (const auto then = all.find_value("on_error"); then && then->is_text())
        out.then = then->text() == "drop"           ? at_failure::drop
                   : then->text() == "pass_through" ? at_failure::pass_through
                                                    : at_failure::reject;
    return out;
}

}  // namespace

std::string_view transform_factory::schema() const noexcept {
    return R"({
  "type": "object",
  "description": "makes another JSON payload of each message: first the mapping, then the expression, then the schema; nothing of them: the payload stays as it is, and is not read",
  "properties": {
    "mapping": {"type": "object", "default": {}, "description": "keys of the new document, with dots for objects inside, to paths such as $.a.b, items[0] or $ for all of it; what has no key is left out",
      "additionalProperties": {
        "type": ["string", "object"],
        "properties": {
          "path": {"type": "string", "description": "where the value comes from"},
          "default": {"description": "the value where there is none"},
          "required": {"type": "boolean", "default": false, "description": "a message without the value fails"}
        },
        "required": ["path"],
        "additionalProperties": false
      }
    },
    "expression": {"type": "string", "description": "its result is the new payload, as docs/expressions.md describes"},
    "schema": {"type": "object", "additionalProperties": {}, "description": "a JSON Schema that the document is checked against: type, nullable, properties, required, default, items, enum, contentMediaType and contentSchema"},
    "schema_file": {"type": "string", "description": "the same from a file; not with schema"},
    "coerce": {"type": "boolean", "default": true, "description": "texts become the integers, numbers and truths that the schema asks for, numbers become texts"},
    "apply_defaults": {"type": "boolean", "default": true, "description": "the defaults of the schema stand in for fields that are not there"},
    "coerce_empty_as_null": {"type": "boolean", "default": false, "description": "an empty text is null where the schema asks for something else than a text"},
    "on_error": {"type": "string", "enum": ["reject", "pass_through", "drop"], "default": "reject", "description": "a message that cannot be transformed: reject, it goes the way of failures; pass_through, it goes on as it came, with the reason in the metadata mqb.transform_error; drop, it is discarded and counted"}
  },
  "additionalProperties": false
})";
}

result<std::unique_ptr<message_stage>> transform_factory::make(std::string_view config, side) const {
    expressions::json_document document;
    expressions::arena memory{most_memory};
    if (const std::string_view wrong = document.read(config); !wrong.empty()) return mistake("is no JSON: " + std::string{wrong});
    auto read_config = read({document, document.at(0), memory});
    if (!read_config) return read_config.error();
    return std::unique_ptr<message_stage>{std::make_unique<transform_stage>(std::move(*read_config))};
}

}  // namespace mqb::core
