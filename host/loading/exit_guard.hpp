// exit_guard: notices that a plugin ends the process by exit(), which would look like a success.
#pragma once

namespace mqb::loading {

// Before any plugin is opened, since what is registered last runs first at an exit. From then on an exit() that was not expected says
// in which plugin function this thread was, and ends the process with code 1.
void install_exit_guard();

// The process is about to end by the will of the host, or who waits for it looks at its exit code.
void expect_exit() noexcept;

}  // namespace mqb::loading
