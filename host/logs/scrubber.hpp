// scrubber: takes secret values out of texts that plugins and libraries wrote.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mqb::host {

// Immutable; any thread.
class scrubber {
public:
    scrubber() = default;
    // Secrets of fewer than 6 bytes stay, as they would be found in any text; but what stands before the @ of scheme://user:password@host
    // is always taken out.
    explicit scrubber(std::span<const std::string> secrets);
    [[nodiscard]] std::string clean(std::string_view text) const;

private:
    std::vector<std::string> forms_;  // raw, URL-decoded and base64; the longest first
};

}  // namespace mqb::host
