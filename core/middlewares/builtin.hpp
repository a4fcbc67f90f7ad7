// builtin: the middlewares that every host has without a plugin.
#pragma once

#include "core/registry.hpp"

namespace mqb::core {

// Names that are taken already stay as they are.
void add_builtin(CustomMiddlewareFactory& middlewares);

}  // namespace mqb::core
