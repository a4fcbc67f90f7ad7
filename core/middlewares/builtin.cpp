#include "core/middlewares/builtin.hpp"

#include "core/middlewares/buffer.hpp"
#include "core/middlewares/delay.hpp"
#include "core/middlewares/dlq.hpp"
#include "core/middlewares/filter.hpp"
#include "core/middlewares/id.hpp"
#include "core/middlewares/limiter.hpp"
#include "core/middlewares/metrics.hpp"
#include "core/middlewares/random_panic.hpp"
#include "core/middlewares/retry.hpp"
#include "core/middlewares/timeout.hpp"
#include "core/middlewares/transform.hpp"

namespace mqb::core {

void add_builtin(CustomMiddlewareFactory& middlewares) {
    middlewares.add("retry", std::make_shared<retry_factory>());
    middlewares.add("dlq", std::make_shared<dlq_factory>());
    middlewares.add("filter", std::make_shared<filter_factory>());
    middlewares.add("id", std::make_shared<id_factory>());
    middlewares.add("transform", std::make_shared<transform_factory>());
    middlewares.add("limiter", std::make_shared<limiter_factory>());
    middlewares.add("delay", std::make_shared<delay_factory>());
    middlewares.add("buffer", std::make_shared<buffer_factory>());
    middlewares.add("metrics", std::make_shared<metrics_factory>());
    middlewares.add("random_panic", std::make_shared<random_panic_factory>());
    middlewares.add("timeout", std::make_shared<timeout_factory>());
}

}  // namespace mqb::core
