// config_fields: the fields of a middleware's configuration, which is valid against its schema.
#pragma once

#include "core/result.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <optional>
#include <string_view>
#include <utility>

namespace mqb::core {

// What is not there, or null, has the default that the reader gives.
class config_fields {
public:
    // json: a map or null. The failure is one of the configuration.
    static result<config_fields> read(std::string_view json) {
        boost::system::error_code failed;
        boost::json::value value = boost::json::parse({json.data(), json.size()}, failed);
        if (failed) return failure{status::bad_config, failed.message()};
        if (value.is_null()) return config_fields{{}};
        if (!value.is_object()) return failure{status::bad_config, "has to be a map"};
        return config_fields{std::move(value.get_object())};
    }

    [[nodiscard]] std::optional<double> number(std::string_view name) const {
        const boost::json::value* const v = find(name);
        if (!v) return std::nullopt;
        boost::system::error_code failed;
        const auto out = v->to_number<double>(failed);
        return failed ? std::nullopt : std::optional<double>{out};
    }
    [[nodiscard]] bool truth(std::string_view name, bool standard) const {
        const boost::json::value* const v = find(name);
        return v && v->is_bool() ? v->get_bool() : standard;
    }
    // Valid as long as this.
    [[nodiscard]] std::string_view text(std::string_view name, std::string_view standard) const {
        const boost::json::value* const v = find(name);
        return v && v->is_string() ? std::string_view{v->get_string().data(), v->get_string().size()} : standard;
    }

private:
    explicit config_fields(boost::json::object all) : all_(std::move(all)) {}
    [[nodiscard]] const boost::json::value* find(std::string_view name) const {
        return all_.if_contains(boost::json::string_view{name.data(), name.size()});
    }
    boost::json::object all_;
};

}  // namespace mqb::core
