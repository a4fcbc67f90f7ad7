#include "core/middlewares/limiter.hpp"

#include "core/middlewares/config_fields.hpp"

#include <cmath>

namespace mqb::core {

std::string_view limiter_factory::schema() const noexcept {
    return R"({
  "type": "object",
  "description": "lets so many messages a second through: each batch waits for the time that its messages take, and time that was not used is gone",
  "properties": {
    "messages_per_second": {"type": "number", "minimum": 0.000000001, "description": "more than 0; a batch of n messages waits n/messages_per_second seconds, on an input after it was read, on an output before it is sent on"}
  },
  "required": ["messages_per_second"],
  "additionalProperties": false
})";
}

result<std::shared_ptr<pace>> limiter_factory::make(std::string_view config) const {
    const auto fields = config_fields::read(config);
    if (!fields) return fields.error();
    const double rate = fields->number("messages_per_second").value_or(0);
    if (!std::isfinite(rate) || rate <= 0) return failure{status::bad_config, "messages_per_second: has to be more than 0, and finite"};
    return pace::of_messages(rate);
}

}  // namespace mqb::core
