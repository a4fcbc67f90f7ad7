#include "core/middlewares/delay.hpp"

#include "core/middlewares/config_fields.hpp"

namespace mqb::core {

std::string_view delay_factory::schema() const noexcept {
    return R"({
  "type": "object",
  "description": "waits before each receive or send, however many messages it has; one after the other",
  "properties": {
    "delay_ms": {"type": "integer", "minimum": 0, "maximum": 1000000000, "description": "how long, in ms; 0: not at all"}
  },
  "required": ["delay_ms"],
  "additionalProperties": false
})";
}

result<std::shared_ptr<pace>> delay_factory::make(std::string_view config) const {
    const auto fields = config_fields::read(config);
    if (!fields) return fields.error();
    const auto ms = fields->number("delay_ms");
    if (!ms || *ms < 0) return failure{status::bad_config, "delay_ms: has to be a number of ms"};
    return pace::of_calls(static_cast<std::uint64_t>(*ms * 1e6));
}

}  // namespace mqb::core
