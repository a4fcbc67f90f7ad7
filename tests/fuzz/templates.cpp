// Compiles what stands before the first zero byte as a template, and renders it over what stands behind it. A mistake has a place in the text;
// a constant is the same for every message; what is put between quotes of a JSON text leaves it JSON.
#include "core/expressions/json_document.hpp"
#include "core/templates/renderer.hpp"

#include <cstdint>
#include <cstdlib>
#include <string>

using namespace mqb::core;
using namespace mqb::core::templates;

namespace {

std::uint64_t no_clock() noexcept { return 0; }

std::string text_of(renderer& by, const text_template& from, const message& of) {
    std::string out = "before";
    const rendering r = by.append(out, from, of);
    if (!out.starts_with("before")) std::abort();
    if (r.what == rendered::too_long && out != "before") std::abort();
    if (!r.is_whole() && why_not(from, r).empty()) std::abort();
    return out.substr(6);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view all{reinterpret_cast<const char*>(data), size};
    const std::string_view source = all.substr(0, all.find('\0'));
    message m;
    if (source.size() < all.size()) {
        m.payload.data = data + source.size() + 1;
        m.payload.size = size - source.size() - 1;
        m.metadata = m.payload;  // any bytes at all
    }
    static renderer by{&no_clock};
    for (const escaping how : {escaping::none, escaping::json}) {
        const auto made = compile(source, how);
        if (!made) {
            const auto& why = made.error();
            if (why.text.empty() || why.length == 0 || std::size_t{why.offset} + why.length > source.size()) std::abort();
            if (expressions::excerpt(source, why).empty()) std::abort();
            continue;
        }
        const std::string text = text_of(by, *made, m);
        if (made->is_constant() && text != made->constant()) std::abort();
        if (!made->generates() && text != text_of(by, *made, m)) std::abort();
    }
    static const auto quoted =
        *compile(R"({"a":"${message:payload}","b":["${payload:a}","${payload:}"],"c":"${metadata:a}"})", escaping::json);
    static expressions::json_document again;
    const std::string json = text_of(by, quoted, m);
    if (!again.read(json).empty()) std::abort();
    return 0;
}
