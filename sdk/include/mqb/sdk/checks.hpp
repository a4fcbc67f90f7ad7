// checks: how much of both sides' conduct the SDK watches, chosen when the plugin is compiled.
//   MQB_SDK_CHECKS 0  nothing
//   MQB_SDK_CHECKS 1  what costs a compare: indexes, batches that are not alive            (the default with NDEBUG)
//   MQB_SDK_CHECKS 2  also every entry of a settle, and completions that come twice        (the default without)
// What is found is logged, never thrown at the host: MQB_LOG_ERROR when the plugin broke a rule, MQB_LOG_HOST_MISBEHAVES when
// the host did.
#pragma once

#ifndef MQB_SDK_CHECKS
#ifdef NDEBUG
#define MQB_SDK_CHECKS 1
#else
#define MQB_SDK_CHECKS 2
#endif
#endif

namespace mqb::sdk {

inline constexpr bool checks_minimal = MQB_SDK_CHECKS >= 1;
inline constexpr bool checks_maximal = MQB_SDK_CHECKS >= 2;

}  // namespace mqb::sdk
