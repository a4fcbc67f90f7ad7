#include "host/routes/host_state.hpp"

#include <utility>

namespace mqb::host {

core::result<host_state> open_host_state(const std::filesystem::path& path, const scrubber& clean) {
    auto directory = state::state_directory::open(path);
    if (!directory) return directory.error();
    state::letter_limits limits;
    const state::text_filter filter = [clean](std::string_view text) { return clean.clean(text); };
    limits.clean = filter;
    auto letters = state::sqlite_dead_letters::open(directory->letters_file(), std::move(limits));
    if (!letters) return core::failure{letters.error().what, "dead letters: " + letters.error().text};
    return host_state{std::move(*directory), filter, std::move(*letters)};
}

core::instance_directories host_state::instance_directories(core::logger& log) const {
    return [this, &log](std::string_view route, std::string_view path) {
        const auto made = directory.instance_directory(route, path);
        if (made) return made->string();
        log.write(core::log_level::warning, route, path, made.error().text);
        return std::string{};
    };
}

}  // namespace mqb::host
