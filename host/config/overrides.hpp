// overrides: puts the values of variables `MQB__PATH__TO__FIELD` over what stands in route files.
//
// The path starts at the top of a file or at its routes. Names are matched with what is there, whatever their case, `_` for every
// sign that a variable cannot have; a number is the place in a list. The last part may be a key that the file does not say yet.
#pragma once

#include "host/config/environment.hpp"
#include "host/config/finding.hpp"
#include "host/config/node.hpp"

#include <vector>

namespace mqb::config {

// `roots`: of all files, or null. Changed ones are replaced. What addresses nothing is an error; empty values say nothing.
void apply_overrides(std::vector<node_ptr>& roots, const environment& from, findings& to);

}  // namespace mqb::config
