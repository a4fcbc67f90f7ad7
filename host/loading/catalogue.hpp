// plugin_catalogue: what the plugin libraries on this machine offer, and the way from a name in a route file to its factory.
#pragma once

#include "core/registry.hpp"
#include "core/result.hpp"
#include "host/loading/describe.hpp"
#include "host/loading/discovery.hpp"
#include "host/loading/factories.hpp"
#include "host/loading/library.hpp"
#include "host/loading/offer.hpp"

#include <boost/assert/source_location.hpp>
#include <boost/system/result.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace mqb::loading {

enum class file_state : std::uint8_t { ok, unusable, shadowed };
[[nodiscard]] std::string_view to_text(file_state state) noexcept;

// One line of `mqbridge plugins`. ok: nothing speaks against it so far; only --verify opens the file.
struct catalogue_entry {
    std::filesystem::path file;
    file_state state = file_state::ok;
    std::string why;   // unusable or shadowed
    std::string name;  // empty until something tells it
    std::string version;
    std::string licence;
    std::uint32_t abi = 0;  // the draft number
    std::string sha256;     // filled in by list()
    std::vector<offer> offers;
};

// What a route file needs: the keys of its endpoints and middlewares.
struct needed_names {
    std::vector<std::string> endpoints;
    std::vector<std::string> middlewares;
};

// Why a name cannot be had.
struct lookup_failure {
    enum class reason : std::uint8_t {
        not_offered,  // by any file: whoever wrote the name is mistaken, or a plugin is missing
        unusable,     // something offers it, and that is broken, not trusted, or there twice
    };
    reason why = reason::not_offered;
    std::string text;
};
template <class Factory>
using lookup_result = boost::system::result<std::shared_ptr<Factory>, lookup_failure>;
[[noreturn]] inline void throw_exception_from_error(const lookup_failure& f, const boost::source_location&) {
    throw std::runtime_error(f.text);
}

// Not thread-safe. Keeps no file open; a library that it opened stays in the process for ever.
class plugin_catalogue {
public:
    // The services are given to every factory that the catalogue makes.
    plugin_catalogue(search_options options, std::shared_ptr<plugin_services> services, describer children = describer{});
    ~plugin_catalogue();

    // Looks at names, owners and sidecar indexes. Opens nothing and starts no child. Called by the constructor.
    void scan();
    // Warnings of the scan and of what was looked up since, each once: an index that does not fit, …
    [[nodiscard]] const std::vector<std::string>& warnings() const noexcept { return warnings_; }

    // Every file, with its SHA-256. Files that nothing describes are described in a child process; with verify, all are.
    [[nodiscard]] std::vector<catalogue_entry> list(bool verify);

    // Opens the library that offers the name. The text of a failure names every file that was looked at and near matches.
    [[nodiscard]] lookup_result<core::endpoint_factory> find_endpoint(std::string_view name);
    [[nodiscard]] lookup_result<core::middleware_factory> find_middleware(std::string_view name);
    [[nodiscard]] lookup_result<handler_factory> find_handler(std::string_view name);
    [[nodiscard]] lookup_result<store_factory> find_store(std::string_view name);

    // Known names that resemble `name`, the nearest first, at most three.
    [[nodiscard]] std::vector<std::string> near_matches(offer_kind kind, std::string_view name) const;

    // Opens what the names need and puts it into the registries; names that are registered already stay as they are. All failures
    // in one text, one a line; what was found is registered all the same.
    [[nodiscard]] core::result<void> register_into(core::CustomEndpointFactory& endpoints, core::CustomMiddlewareFactory& middlewares,
                                                   const needed_names& names);

private:
    struct candidate;

    [[nodiscard]] boost::system::result<offered, lookup_failure> find(offer_kind kind, std::string_view name);
    [[nodiscard]] std::vector<candidate*> claimants(offer_kind kind, std::string_view name);
    [[nodiscard]] core::result<std::shared_ptr<const library>> open(candidate& c);
    void examine(candidate& c);
    void take_index(candidate& c);
    void describe(candidate& c);
    void refuse(candidate& c, std::string why);
    void warn(std::string text);
    [[nodiscard]] lookup_failure not_found(offer_kind kind, std::string_view name) const;

    search_options options_;
    std::shared_ptr<plugin_services> services_;
    describer children_;
    std::vector<candidate> files_;
    std::vector<std::string> warnings_;
};

}  // namespace mqb::loading
