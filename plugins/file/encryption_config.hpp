// Encryption config: the block `encryption`.
#pragma once

#include <map>
#include <string>

#include <mqb/sdk/option.hpp>

#include "codec/opener.hpp"
#include "codec/sealer.hpp"

namespace mqb::file {

struct encryption_config {
    std::string key, key_id;
    codec::cipher cipher{};
    std::map<std::string, std::string> decrypt_keys;

    encryption_config() = default;
    encryption_config(const encryption_config&) = default;
    encryption_config(encryption_config&&) = default;
    encryption_config& operator=(const encryption_config&) = default;
    encryption_config& operator=(encryption_config&&) = default;
    ~encryption_config();

    static constexpr auto options() {
        return sdk::options(sdk::option("key", &encryption_config::key)
                                .required()
                                .secret()
                                .doc("32 bytes as base64. Keep it in a variable: `${file:/path}`."),
                            sdk::option("cipher", &encryption_config::cipher)
                                .by_default("xchacha20poly1305")
                                .value("xchacha20poly1305", codec::cipher::xchacha20poly1305)
                                .value("aes256gcm", codec::cipher::aes256gcm)
                                .doc("What an output seals with; an input sees it in the file."),
                            sdk::option("key_id", &encryption_config::key_id)
                                .by_default("default")
                                .not_empty()
                                .doc("The name of `key`, which stands in the file."),
                            sdk::option("decrypt_keys", &encryption_config::decrypt_keys)
                                .by_default_json("{}")
                                .secret()
                                .doc("Other keys that an input opens with, by their names."));
    }
    // Throws bad_config, without a word of a key.
    void check() const;

    // Of a configuration that was checked.
    codec::sealer sealer() const;
    codec::opener opener() const;
};

}  // namespace mqb::file
