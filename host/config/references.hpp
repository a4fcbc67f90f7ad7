// references: the endpoints under the top-level `endpoints:` of all files, and what `ref: NAME` stands for.
#pragma once

#include "core/registry.hpp"
#include "host/config/endpoint_shape.hpp"

#include <map>
#include <string>
#include <vector>

namespace mqb::config {

struct named_endpoint {
    std::string name;
    position at;  // of its name
    std::string path;
    node_ptr value;
    mutable bool is_used = false;
};

class references {
public:
    // Refuses a name that is there already.
    void add(named_endpoint made, findings& to);
    // `endpoints: {NAME: endpoint}`
    void add_all(const entry& endpoints, const std::string& path, findings& to);

    // What `shape` stands for, over any number of references, with the middlewares of each around those of what it refers to.
    // `open`: the names that are being resolved around it; those of this one are added. Without a type after an error.
    // `if_missing`: how a name is told that is not there.
    [[nodiscard]] endpoint_shape resolve(endpoint_shape shape, core::side which, severity if_missing, std::vector<std::string>& open,
                                         findings& to) const;

    [[nodiscard]] const std::map<std::string, named_endpoint>& all() const noexcept { return all_; }

private:
    [[nodiscard]] const named_endpoint* target(const typed_config& reference, severity if_missing, const std::vector<std::string>& open,
                                               findings& to) const;

    std::map<std::string, named_endpoint> all_;
};

}  // namespace mqb::config
