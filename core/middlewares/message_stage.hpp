// message_stage: a middleware that looks at one message at a time and answers at once, whichever side it stands on.
#pragma once

#include "core/message.hpp"
#include "core/middlewares/metadata_edit.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mqb::core {

// What becomes of a message. The last three go no further: filtered and discarded count as such at the source, refused is a failure.
enum class staged { passes, changed, filtered, discarded, refused };

// One stage of one chain; never two calls at a time.
class message_stage {
public:
    virtual ~message_stage() = default;
    // `changed`: other buffers were put into `m`; what they point to is in `made`, in any order. `discarded` and `refused`: `why` says
    // what is wrong with the message, for people. `passes` and `changed`: a text in it is a warning that the log gets.
    virtual staged apply(message& m, std::vector<counted_block>& made, std::string& why) = 0;
};

// The messages of one call behind a stage, and what became of the others. Used again and again.
class staged_messages {
public:
    struct removed_message {
        std::uint32_t index;  // in the call
        staged what;
        std::string why;  // "filter: the payload is no JSON"
    };

    // `name`: of the middleware, for the reasons. What goes on lives as long as `all` and this.
    void apply(message_stage& stage, std::string_view name, const message_list& all);
    void clear() noexcept;

    // In the order in which they came.
    [[nodiscard]] const message_list& messages() const noexcept { return onward_; }
    [[nodiscard]] const std::vector<removed_message>& removed() const noexcept { return removed_; }
    // All of them go on as they came.
    [[nodiscard]] bool is_untouched() const noexcept { return part_.empty() && removed_.empty(); }
    // Where the k-th that goes on stands in the call.
    [[nodiscard]] std::uint32_t index_of(std::uint32_t k) const noexcept { return index_.empty() ? k : index_[k]; }
    // Of a message that goes on, with the name of the middleware; empty: there is none.
    [[nodiscard]] const std::string& first_warning() const noexcept { return warning_; }
    // A message that was thrown away; null: there is none.
    [[nodiscard]] const removed_message* first_discarded() const noexcept;

private:
    void copy_first(const message_list& all, std::uint32_t count);

    message_list onward_;
    std::vector<message> part_;         // empty: they stand where they came
    std::vector<std::uint32_t> index_;  // empty: none was removed
    std::vector<removed_message> removed_;
    std::string warning_;
    std::vector<counted_block> blocks_;
};

}  // namespace mqb::core
