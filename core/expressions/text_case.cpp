#include "core/expressions/text_case.hpp"

#include <locale.h>
#include <clocale>
#include <cwctype>

namespace mqb::core::expressions {

namespace {

// The C library's own table of Unicode, whatever the language of the user is. Null, and ASCII alone, where a system lacks it.
locale_t unicode() noexcept {
    static const locale_t made = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
    return made;
}

}  // namespace

char32_t upper_case(char32_t c) noexcept {
    if (c < 0x80) return c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c;
    return unicode() ? static_cast<char32_t>(towupper_l(static_cast<wint_t>(c), unicode())) : c;
}

char32_t lower_case(char32_t c) noexcept {
    if (c < 0x80) return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
    return unicode() ? static_cast<char32_t>(towlower_l(static_cast<wint_t>(c), unicode())) : c;
}

}  // namespace mqb::core::expressions
