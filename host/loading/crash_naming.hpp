// crash_naming: on a crash, one line on standard error that names the plugin and function which the thread had entered last.
#pragma once

#include <functional>

namespace mqb::loading {

// Installs handlers for SIGSEGV, SIGBUS, SIGILL, SIGFPE and SIGABRT in front of those that are there, which run afterwards. Once,
// from main. "mqbridge: SIGSEGV in plugin NAME.FUNCTION (route R)"
void install_crash_naming();

// Puts those handlers in front again where a plugin has replaced one, whose own runs after ours from then on and before what was there
// first. `changed` is told each such signal. One thread at a time.
void restore_crash_naming(const std::function<void(int signal)>& changed);

// Gives this thread a stack for signal handlers unless it has one. Every thread that enters a plugin gets one by itself.
void ensure_signal_stack();

}  // namespace mqb::loading
