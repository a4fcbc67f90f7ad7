#include "core/middlewares/fault.hpp"

#include "core/middlewares/config_fields.hpp"

#include <algorithm>
#include <iterator>

namespace mqb::core {

namespace {
constexpr std::string_view modes[] = {"panic", "disconnect", "timeout", "json_format_error", "nack"};
}

std::string_view to_text(fault_mode mode) noexcept { return modes[static_cast<std::size_t>(mode)]; }

result<fault_setting> fault_setting::read(std::string_view config) {
    const auto fields = config_fields::read(config);
    if (!fields) return fields.error();
    fault_setting out;
    const auto* const mode = std::ranges::find(modes, fields->text("mode", "panic"));
    if (mode == std::end(modes)) return failure{status::bad_config, "mode: there is no such mode"};
    out.mode = static_cast<fault_mode>(mode - std::begin(modes));
    const double trigger = fields->number("trigger_on_message").value_or(0);
    if (trigger < 0 || trigger > 1e15) return failure{status::bad_config, "trigger_on_message: has to be the number of a call"};
    out.trigger = static_cast<std::uint64_t>(trigger);
    out.is_enabled = fields->truth("enabled", true);
    return out;
}

}  // namespace mqb::core
