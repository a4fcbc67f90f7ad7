#include "host/loading/load_error.hpp"

namespace mqb::loading {

namespace {

constexpr std::string_view not_found = ": cannot open shared object file";
constexpr std::string_view undefined = "undefined symbol: ";

std::string_view word_at(std::string_view text) { return text.substr(0, text.find_first_of(" \t\n,")); }

}  // namespace

std::string explain_load_error(const std::filesystem::path& file, std::string_view dlerror) {
    if (const auto at = dlerror.find(not_found); at != std::string_view::npos) {
        const std::string_view missing = dlerror.substr(0, at);
        if (missing != file.string()) return "needs the client library " + std::string{missing} + ", which is not installed";
    }
    if (const auto at = dlerror.find(undefined); at != std::string_view::npos) {
        const std::string_view symbol = word_at(dlerror.substr(at + undefined.size()));
        return "needs the symbol " + std::string{symbol} + ", which no library has (undefined symbol)";
    }
    // "FILE: version `GLIBC_2.99' not found (required by FILE)" and the like.
    const std::string prefix = file.string() + ": ";
    if (dlerror.starts_with(prefix)) dlerror.remove_prefix(prefix.size());
    return "cannot be loaded: " + std::string{dlerror};
}

}  // namespace mqb::loading
