// route_set: everything that the route files of one run say, before their plugins are known.
#pragma once

#include "host/config/environment.hpp"
#include "host/config/known_types.hpp"
#include "host/config/route_file.hpp"

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace mqb::config {

struct route_set {
    std::vector<route_file> files;
    references names;

    // Of all files; the last one that says something wins.
    [[nodiscard]] settings all_settings() const;
    // Adds the names of types that are used and that `known` has nothing about. Endpoints inside configurations show only once the
    // types around them are known: to be asked again until nothing is added.
    void collect_names(const known_types& known, std::set<std::string>& endpoints, std::set<std::string>& middlewares) const;
};

// Files and directories. What cannot be read is told; the others are read all the same.
[[nodiscard]] route_set read_route_set(const std::vector<std::string>& names, const environment& from, findings& to,
                                       std::vector<std::string>& secrets);
// The same of texts: file name, text.
[[nodiscard]] route_set read_route_texts(const std::vector<std::pair<std::string, std::string>>& texts, const environment& from,
                                         findings& to, std::vector<std::string>& secrets);

}  // namespace mqb::config
