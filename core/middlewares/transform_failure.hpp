// transform_failure: why a message cannot be transformed; thrown inside a transform, and ended by it.
#pragma once

#include <string>
#include <string_view>

namespace mqb::core {

struct transform_failure {
    // where: a path, "$.items[0]"; kind: missing_required, coercion, type_mismatch, enum, content, parse, expression.
    transform_failure(std::string_view where, std::string_view kind, std::string_view why)
        : text("failed at " + std::string{where} + " [" + std::string{kind} + "]: " + std::string{why}) {}
    std::string text;
};

}  // namespace mqb::core
