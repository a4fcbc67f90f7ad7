// template_code: what a text_template consists of.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace mqb::core::templates {

enum class token_source : std::uint8_t {
    literal,
    payload_field,
    metadata,
    message_id,
    message_payload,
    uuid,
    now,
    timestamp,
    counter,
    random
};
enum class token_filter : std::uint8_t { none, raw, base64 };

// One step into the payload: a member of an object, or an element of a list where the name is a number.
struct path_step {
    static constexpr std::uint64_t no_index = std::numeric_limits<std::uint64_t>::max();
    std::string name;
    std::uint64_t index = no_index;
};

// A text between tokens is one too.
struct template_part {
    token_source from = token_source::literal;
    token_filter through = token_filter::none;
    bool is_in_quotes = false;  // of the JSON text around it
    std::uint32_t offset = 0;   // of the token in the template
    std::uint32_t length = 0;
    std::string text;             // the literal, or the key of the metadata
    std::vector<path_step> path;  // none: the whole payload
    std::int64_t least = 0;       // of random
    std::int64_t most = 0;
};

struct template_code {
    std::string source;
    std::vector<template_part> parts;  // no two literals beside each other
    std::string constant;              // where there is nothing but a literal
    bool escapes_json = false;
    bool is_path = false;
    bool reads_message = false;
    bool generates = false;
    mutable std::atomic<std::uint64_t> counter{0};  // of `${gen:counter}`
};

}  // namespace mqb::core::templates
