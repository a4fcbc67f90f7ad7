// Reads the bytes as a payload, beside another reader, and puts them through transforms: what comes out is JSON, and what a schema has made
// once it leaves alone the second time.
#include "core/middlewares/transform.hpp"
#include "core/expressions/json_document.hpp"

#include <boost/json/parse.hpp>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

using namespace mqb::core;

namespace {

std::unique_ptr<message_stage> stage(const char* config) {
    auto made = transform_factory{}.make(config, publisher_side);
    if (!made) std::abort();
    return std::move(*made);
}

void check_reader(std::string_view payload) {
    static expressions::json_document ours;
    boost::json::parse_options deep;
    deep.max_depth = expressions::json_document::deepest;
    boost::system::error_code wrong;
    (void)boost::json::parse({payload.data(), payload.size()}, wrong, {}, deep);
    const std::string_view why = ours.read(payload);
    const bool is_too_deep = why.ends_with("deeper than 128") || wrong == boost::json::error::too_deep;
    if (is_too_deep || payload.find("\\u") != std::string_view::npos) return;  // the two count and judge these each in its own way
    if (wrong == boost::json::error::exponent_overflow) return;                // a number of any size is JSON
    if (why.empty() != !wrong) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const auto typed = stage(R"({"schema": {"type": "object", "properties": {"id": {"type": "integer"}, "n": {"type": "number"},
        "b": {"type": "boolean"}, "s": {"type": "string", "enum": ["a", "1"]}, "l": {"type": "array", "items": {"type": "integer"}},
        "d": {"default": {"x": []}}, "o": {"properties": {"id": {"type": ["integer", "null"], "default": 1}}}}}})");
    static const auto content = stage(R"({"schema": {"properties": {"o": {"type": "string", "contentMediaType": "application/json",
        "contentSchema": {"properties": {"id": {"type": "integer"}}}}}}})");
    static const auto mapped = stage(R"({"mapping": {"a.b": "$.o.id", "a.c": "l[1]", "all": "$"}})");
    check_reader({reinterpret_cast<const char*>(data), size});
    static expressions::json_document again;
    for (message_stage* const one : {typed.get(), content.get(), mapped.get()}) {
        message m;
        m.payload = {data, size, nullptr};
        std::vector<counted_block> blocks;
        std::string why;
        const staged what = one->apply(m, blocks, why);
        if (what == staged::refused && why.empty()) std::abort();
        if (what != staged::changed) continue;
        if (!again.read(m.payload.text()).empty()) std::abort();
        if (one == typed.get() && one->apply(m, blocks, why) != staged::passes) std::abort();
    }
    return 0;
}
