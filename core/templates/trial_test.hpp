// trial: compiles and renders a template over a message in one line of a test.
#pragma once

#include "core/expressions/trial_test.hpp"
#include "core/templates/renderer.hpp"

#include <string>
#include <string_view>

namespace mqb::core::templates {

using expressions::block_of;
using expressions::bytes_of;
using expressions::metadata_list;

// 2026-01-31T10:00:00.123456789Z
inline std::uint64_t fixed_clock() noexcept { return 1'769'853'600'123'456'789; }

// A message as tests have it: the payload null where it is `no_payload`.
constexpr std::string_view no_payload{};

struct trial {
    explicit trial(std::string_view payload = no_payload, const metadata_list& metadata = {}) : block(block_of(metadata)) {
        of.id = {0x01, 0x90, 0x16, 0x3d, 0x86, 0x94, 0x73, 0x9b, 0xae, 0xa5, 0x96, 0x6c, 0x26, 0xf8, 0xad, 0x91};
        of.payload = bytes_of(payload);
        if (!metadata.empty()) of.metadata = block.get();
    }
    // The text; behind it " (why)" where the rendering is not whole; "compile: …" where there is no template.
    [[nodiscard]] std::string operator()(std::string_view source, escaping how = escaping::none) {
        const auto made = compile(source, how);
        if (!made) return "compile: " + made.error().text;
        std::string out;
        const rendering r = by.append(out, *made, of);
        return r.is_whole() ? out : out + " (" + why_not(*made, r) + ')';
    }
    counted_block block;
    message of;
    renderer by{&fixed_clock};
};

}  // namespace mqb::core::templates
