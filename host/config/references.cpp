#include "host/config/references.hpp"

#include "host/config/near_match.hpp"

#include <algorithm>
#include <utility>

namespace mqb::config {

void references::add(named_endpoint made, findings& to) {
    const auto [at, is_new] = all_.emplace(made.name, made);
    if (!is_new) to.error(made.at, made.path, "an endpoint of this name is in " + to.place_text(at->second.at) + " already");
}

void references::add_all(const entry& endpoints, const std::string& path, findings& to) {
    if (endpoints.value->what == shape::null) return;
    if (endpoints.value->what != shape::map) return to.error(endpoints.at, path, "has to be a map of names and endpoints");
    for (const entry& e : endpoints.value->entries) add({e.key, e.at, joined(path, e.key), e.value}, to);
}

const named_endpoint* references::target(const typed_config& reference, severity if_missing, const std::vector<std::string>& open,
                                         findings& to) const {
    const node_ptr& value = reference.config;
    if (!value || value->what != shape::scalar || value->text.empty()) {
        to.error(reference.at, reference.path, "takes the name of an endpoint under \"endpoints\"");
        return nullptr;
    }
    const auto at = all_.find(value->text);
    if (at == all_.end()) {
        std::vector<std::string> known;
        for (const auto& [name, what] : all_) known.push_back(name);
        std::string text = "there is no \"" + value->text + "\" under \"endpoints\"" + did_you_mean(value->text, known);
        if (if_missing == severity::error) {
            to.error(value->at, reference.path, std::move(text));
        } else {
            to.warning(value->at, reference.path, std::move(text));
        }
        return nullptr;
    }
    at->second.is_used = true;
    if (const auto first = std::find(open.begin(), open.end(), at->first); first != open.end()) {
        std::string steps;
        for (auto name = first; name != open.end(); ++name) steps += '"' + *name + "\" refers to ";
        to.error(value->at, reference.path,
                 "a circle: " + steps + '"' + at->first + "\" again, which is in " + to.place_text(at->second.at));
        return nullptr;
    }
    return &at->second;
}

endpoint_shape references::resolve(endpoint_shape shape, core::side which, severity if_missing, std::vector<std::string>& open,
                                   findings& to) const {
    while (shape.what.type == "ref") {
        const named_endpoint* found = target(shape.what, if_missing, open, to);
        if (!found) {
            shape.what.type.clear();
            break;
        }
        open.push_back(found->name);
        endpoint_shape inner = read_endpoint(*found->value, found->at, found->path, to);
        inner.has_to_be_said = shape.has_to_be_said;
        inner.referrer = to.place_text(shape.what.config->at) + ": " + shape.what.path;
        // Outside is towards the route: first in the list of an input, last in that of an output.
        std::vector<typed_config>& own = shape.middlewares;
        std::vector<typed_config>& list = inner.middlewares;
        list.insert(which == core::consumer_side ? list.begin() : list.end(), std::make_move_iterator(own.begin()),
                    std::make_move_iterator(own.end()));
        shape = std::move(inner);
    }
    return shape;
}

}  // namespace mqb::config
