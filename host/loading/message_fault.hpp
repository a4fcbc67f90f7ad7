// message_fault: what is wrong with the buffers of a message that a plugin gives, before core reads any of it.
#pragma once

#include <mqb/call.h>

namespace mqb::loading {

// What is wrong with it, for "PLUGIN.FUNCTION gave …"; null: nothing.
[[nodiscard]] const char* fault_in_message(const mqb_message& m) noexcept;

// The same for the first broken one of a sound list. One pass without branches but at a new owner.
[[nodiscard]] const char* fault_in_messages(const mqb_list& messages) noexcept;

}  // namespace mqb::loading
