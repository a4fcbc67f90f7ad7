#include "host/loading/sidecar.hpp"

#include "host/loading/regular_file.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/value_to.hpp>

#include <optional>

namespace mqb::loading {

namespace {

namespace json = boost::json;
constexpr std::size_t longest_index = 1u << 20;

std::string fault_in(const json::object& index, const elf_facts& facts, const std::filesystem::path& library) {
    const auto* file = index.if_contains("file");
    if (file && (!file->is_string() || file->as_string() != library.filename().string())) return "it speaks of another file";
    const auto* size = index.if_contains("size");
    boost::system::error_code e;
    if (!size || !size->is_number() || size->to_number<std::uint64_t>(e) != facts.size || e) return "its size is not that of the library";
    const auto* id = index.if_contains("build_id");
    const std::string given = id && id->is_string() ? std::string{id->as_string()} : std::string{};
    return given == facts.build_id ? std::string{} : "its build id is not that of the library";
}

}  // namespace

sidecar read_sidecar(const std::filesystem::path& library, const elf_facts& facts) {
    sidecar out;
    std::filesystem::path path = library;
    path.replace_extension(".json");
    regular_file in{path};
    if (!in.is_open() && !in.is_other()) return out;
    const auto ignored = [&](std::string_view why) {
        out.warning = path.string() + ": ignored, since " + std::string{why};
        return out;
    };
    if (in.is_other()) return ignored("it is not a regular file");
    std::string text(longest_index + 1, '\0');
    const std::optional<std::size_t> size = in.read(text.data(), text.size());
    if (!size) return ignored("it cannot be read");
    text.resize(*size);
    if (text.size() > longest_index) return ignored("it is too long");
    boost::system::error_code e;
    const json::value index = json::parse(text, e);
    if (e || !index.is_object()) return ignored("it is not a JSON object");
    if (std::string why = fault_in(index.as_object(), facts, library); !why.empty()) return ignored(why);
    core::result<description> about = description_from_json(text);
    if (!about) return ignored(about.error().text);
    out.about = std::move(*about);
    out.is_valid = true;
    return out;
}

}  // namespace mqb::loading
