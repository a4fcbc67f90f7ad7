#include "core/middlewares/builtin.hpp"

#include "core/middlewares/dlq.hpp"
#include "core/middlewares/retry.hpp"

namespace mqb::core {

void add_builtin(CustomMiddlewareFactory& middlewares) {
    middlewares.add("retry", std::make_shared<retry_factory>());
    middlewares.add("dlq", std::make_shared<dlq_factory>());
}

}  // namespace mqb::core
