#include "rolling.hpp"

namespace mqb::file {

rolling::rolling(const rolling_config& chosen, const std::string& path)
    : files_(path), max_bytes_(chosen.max_bytes), keep_(static_cast<std::size_t>(chosen.keep)) {
    if (chosen.every) period_.emplace(duration_of(*chosen.every).value());
}

void rolling::opened(std::optional<std::int64_t> last_record_ms) {
    files_.look();
    has_records_ = last_record_ms.has_value();
    if (period_ && last_record_ms) period_->begin(*last_record_ms);
}

void rolling::wrote(std::int64_t now_ms) {
    if (period_ && has_records_) period_->wrote(now_ms);
    if (period_ && !has_records_) period_->begin(now_ms);
    has_records_ = true;
}

}  // namespace mqb::file
