#include "host/admin/host_requests.hpp"

#include "host/config/scalar.hpp"
#include "host/state/dead_letter_source.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace mqb::host::admin {

namespace {

namespace json = boost::json;
using config::json_string;

std::string text_at(const json::object& in, const char* key) {
    const json::value* found = in.if_contains(key);
    return found && found->is_string() ? std::string{found->get_string().data(), found->get_string().size()} : std::string{};
}

}  // namespace

std::string status_request() { return R"({"do":"status"})"; }

std::string route_request(std::string_view what, std::string_view route) {
    return "{\"do\":" + json_string(what) + ",\"route\":" + json_string(route) + '}';
}

std::string replay_request(std::string_view route, const state::letter_filter& which) {
    return "{\"do\":\"replay\",\"route\":" + json_string(route) + ",\"filter\":" + state::to_config(which) + '}';
}

std::function<void()> host_requests::handle(std::string_view request, answer give) {
    const auto refuse = [&](const std::string& text) { give("{\"error\":" + json_string(clean_.clean(text)) + '}'); };
    boost::system::error_code failed;
    const json::value read = json::parse({request.data(), request.size()}, failed);
    if (failed || !read.is_object()) return refuse("a request is a JSON object"), nullptr;
    const json::object& asked = read.get_object();
    const std::string what = text_at(asked, "do");
    const std::string route = text_at(asked, "route");
    if (what == "status") return all_.ask_lags([this, give] { give(status_json(host_, all_.all_reports(), clean_)); }), nullptr;
    if (what == "replay") {
        const json::value* filter = asked.if_contains("filter");
        return replay(route, filter ? json::serialize(*filter) : "{}", give);
    }
    if (what != "pause" && what != "resume") return refuse("the host does not know the request \"" + what + '"'), nullptr;
    const auto done = what == "pause" ? all_.pause(route) : all_.resume(route);
    if (done)
        give("{}");
    else
        refuse(done.error().text);
    return nullptr;
}

std::function<void()> host_requests::replay(const std::string& route, const std::string& filter, const answer& give) {
    const auto refuse = [&](const std::string& text) { give("{\"error\":" + json_string(clean_.clean(text)) + '}'); };
    auto which = state::filter_of(filter);
    if (!which) return refuse("filter: " + which.error().text), nullptr;
    const auto begun = all_.replay(route, std::move(*which), [this, give](const route_report& r) { give(summary_of(r, clean_)); });
    if (!begun) return refuse(begun.error().text), nullptr;
    return [this, route] { all_.stop_replay(route); };
}

}  // namespace mqb::host::admin
