// hook.cpp: where an animal throws, aborts, exits or hangs. Exceptions pass through the C frames above, as they would from a C++ plugin.
#include "hook.h"

#include <unistd.h>

#include <cstdlib>
#include <stdexcept>

#ifdef FAULT_UNDEFINED_SYMBOL
extern "C" void zoo_defined_nowhere();
#endif
#ifdef FAULT_MISSING_LIBRARY
extern "C" int zoo_of_another_library();
#endif

extern "C" void zoo_hook(int at) {
    (void)at;
#ifdef HOOK_THROWS_ERROR
    if (at == HOOK_THROWS_ERROR) throw std::runtime_error("boom");
#endif
#ifdef HOOK_THROWS_INT
    if (at == HOOK_THROWS_INT) throw 42;
#endif
#ifdef HOOK_ABORTS
    if (at == HOOK_ABORTS) abort();
#endif
#ifdef HOOK_EXITS
    if (at == HOOK_EXITS) exit(0);
#endif
#ifdef HOOK_HANGS
    while (at == HOOK_HANGS) pause();
#endif
#ifdef FAULT_UNDEFINED_SYMBOL
    if (at == AT_CONTROL) zoo_defined_nowhere();
#endif
#ifdef FAULT_MISSING_LIBRARY
    if (at == AT_CONTROL) zoo_of_another_library();
#endif
}
