#include "core/middlewares/filter.hpp"

#include "core/expressions/evaluator.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <utility>

namespace mqb::core {

namespace {

class filter_stage final : public message_stage {
public:
    filter_stage(expressions::program condition, bool discards) : condition_(std::move(condition)), discards_(discards) {}

    staged apply(message& m, std::vector<counted_block>&, std::string& why) override {
        const auto holds = evaluator_.holds(condition_, m.payload, m.metadata);
        if (holds) return *holds ? staged::passes : staged::filtered;
        why = holds.error().text;
        return discards_ ? staged::discarded : staged::refused;
    }

private:
    const expressions::program condition_;
    const bool discards_;
    expressions::evaluator evaluator_;
};

}  // namespace

std::string_view filter_factory::schema() const noexcept {
    return R"({
  "type": ["string", "object"],
  "description": "lets through the messages of which an expression holds, and counts the others as filtered; a text by itself is the expression",
  "properties": {
    "expression": {"type": "string", "description": "true or false for each message, as docs/expressions.md describes"},
    "on_error": {"type": "string", "enum": ["fail", "drop"], "default": "fail", "description": "a message for which the expression has no answer: fail, it goes the way of failures; drop, it is discarded and counted"}
  },
  "required": ["expression"],
  "additionalProperties": false
})";
}

result<std::unique_ptr<message_stage>> filter_factory::make(std::string_view config, side) const {
    boost::system::error_code failed;
    const boost::json::value value = boost::json::parse({config.data(), config.size()}, failed);
    if (failed) return failure{status::bad_config, failed.message()};
    const boost::json::object* const all = value.if_object();
    const boost::json::value* const source = all ? all->if_contains("expression") : &value;
    if (!source || !source->is_string()) return failure{status::bad_config, "has no expression"};
    const boost::json::value* const on_error = all ? all->if_contains("on_error") : nullptr;
    const std::string_view text{source->get_string().data(), source->get_string().size()};
    auto condition = expressions::compile(text, expressions::purpose::filter);
    if (!condition) return failure{status::bad_config, condition.error().text, expressions::excerpt(text, condition.error())};
    return std::unique_ptr<message_stage>{
        std::make_unique<filter_stage>(std::move(*condition), on_error && on_error->is_string() && on_error->get_string() == "drop")};
}

}  // namespace mqb::core
