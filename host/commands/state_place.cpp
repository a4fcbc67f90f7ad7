#include "host/commands/state_place.hpp"

#include "host/admin/client.hpp"
#include "host/commands/commands.hpp"
#include "host/commands/state_option.hpp"
#include "host/config/dotenv.hpp"
#include "host/config/route_set.hpp"
#include "host/logs/scrubber.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include <iostream>

namespace mqb::host {

bool read_state_place(const std::vector<std::string>& files, state_place& into) {
    if (files.empty()) return true;
    config::findings found;
    config::environment variables = config::process_environment();
    config::read_dotenv_file(".env", variables, found);
    const config::route_set set = config::read_route_set(files, variables, found, into.secrets);
    const scrubber clean{into.secrets};
    for (const config::finding& f : found.sorted()) std::cerr << clean.clean(f.line()) << '\n';
    if (found.has_errors()) return false;
    into.from_files = set.all_settings().state_dir;
    return true;
}

std::string why_nobody_answers(const state::state_directory& directory) {
    const auto process = directory.holder();
    if (!process) return "no mqbridge runs on the state directory " + directory.path().string();
    const std::string number = std::to_string(*process);
    return "process " + number + " runs on the state directory " + directory.path().string() + " and cannot be asked: its socket " +
           directory.socket_file().string() + " is not there, or no longer its own; a host makes it when it starts (kill -TERM " + number +
           " stops it)";
}

int ask_host(const place_options& options, const char* command, const std::string& request, std::string& answer) {
    state_place from;
    if (!read_state_place(options.files, from)) return exit_bad_input;
    const scrubber clean{from.secrets};
    const auto failed = [&](const std::string& text, int code = exit_failed) {
        std::cerr << "mqbridge " << command << ": " << clean.clean(text) << '\n';
        return code;
    };
    const auto path = find_state_directory(options.state_dir, from.from_files);
    if (!path) return failed(path.error().text, exit_bad_input);
    const auto directory = state::state_directory::visit(*path);
    if (!directory) return failed(directory.error().text);
    auto said = admin::ask(directory->socket_file(), request);
    if (!said) return failed(said.error().text);
    if (!*said) return failed(why_nobody_answers(*directory));
    answer = std::move(**said);
    boost::system::error_code broken;
    const boost::json::value value = boost::json::parse(answer, broken);
    if (broken || !value.is_object()) return failed("the host answered what is no JSON object");
    const boost::json::value* refusal = value.get_object().if_contains("error");
    if (!refusal || !refusal->is_string()) return exit_done;
    return failed(std::string{refusal->get_string().data(), refusal->get_string().size()});
}

}  // namespace mqb::host
