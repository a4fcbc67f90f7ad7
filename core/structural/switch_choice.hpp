// switch_choice: the rules of a switch: what its configuration says, and which branch a message takes.
#pragma once

#include "core/expressions/arena.hpp"
#include "core/expressions/evaluator.hpp"
#include "core/message.hpp"
#include "core/nested.hpp"
#include "core/result.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace mqb::core {

// Used by one route.
class switch_choice {
public:
    // config: JSON that is valid against the schema. Branches have the numbers of the places in `all`. None: `mistakes` says what is
    // wrong with the configuration.
    [[nodiscard]] static std::optional<switch_choice> read(std::string_view config, const std::vector<std::string>& all,
                                                           std::vector<failure>& mistakes);

    // The branch that a message takes. None: it takes no branch, and `why` says it.
    [[nodiscard]] std::optional<std::uint32_t> choose(const message& m, std::string& why);

private:
    struct condition {
        expressions::program holds;
        std::uint32_t branch;
    };
    struct hash : std::hash<std::string_view> {
        using is_transparent = void;
    };
    [[nodiscard]] std::optional<std::uint32_t> look_up(const message& m, std::string& why);
    [[nodiscard]] std::optional<std::uint32_t> try_conditions(const message& m, std::string& why);

    std::string key_;  // empty: conditions are tried
    std::unordered_map<std::string, std::uint32_t, hash, std::equal_to<>> cases_;
    std::vector<condition> when_;
    std::optional<std::uint32_t> default_;
    expressions::evaluator evaluator_;
    expressions::arena memory_{1u << 20};  // for what metadata say
};

}  // namespace mqb::core
