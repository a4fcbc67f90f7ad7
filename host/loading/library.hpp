// library: one plugin file, opened once per real path and never closed: a buffer, a thread or a late completion may still point into
// it.
#pragma once

#include "core/result.hpp"
#include "host/loading/describe.hpp"
#include "host/loading/elf_file.hpp"
#include "host/loading/offer.hpp"
#include "host/loading/thread_entry.hpp"

#include <mqb/plugin.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mqb::loading {

// A factory whose table has been checked and null-filled.
struct checked_factory {
    offer what;
    std::string_view schema;  // in the library
    mqb_factory table{};      // shorter ones are filled up with zeros; create is never null
};

// Immutable; any thread. Lives as long as the process.
class library {
public:
    // Opens and checks. `limit` holds for the whole of it, since a static constructor may hang too. Texts begin with the file.
    // as_checked: how the file was when somebody trusted it; one that has changed since then is not opened.
    [[nodiscard]] static core::result<std::shared_ptr<const library>> open(const std::filesystem::path& file,
                                                                           std::chrono::milliseconds limit = std::chrono::seconds{30},
                                                                           const file_identity* as_checked = nullptr);
    // Checks a plugin that is linked into this program.
    [[nodiscard]] static core::result<std::shared_ptr<const library>> adopt(const mqb_plugin* plugin, const std::filesystem::path& file);

    [[nodiscard]] const std::filesystem::path& file() const noexcept { return file_; }
    [[nodiscard]] const std::string& name() const noexcept { return about_.name; }
    [[nodiscard]] const description& about() const noexcept { return about_; }
    [[nodiscard]] const std::vector<checked_factory>& factories() const noexcept { return factories_; }
    [[nodiscard]] const checked_factory* find(offer_kind kind, std::string_view name) const noexcept;
    // Where the functions of this library are entered, for a route or for none.
    [[nodiscard]] const call_place& place(std::string_view route = {}, std::string_view path = {}) const;
    // An optional table; null when there is none.
    [[nodiscard]] const void* table(std::string_view id) const noexcept;

private:
    library() = default;

    std::filesystem::path file_;
    description about_;
    std::vector<checked_factory> factories_;
    const void* (*table_)(mqb_text) = nullptr;
};

// A factory and the library that it lives in.
struct offered {
    std::shared_ptr<const library> from;
    const checked_factory* factory = nullptr;
};

// An optional table of a library that is open; null when there is none.
[[nodiscard]] const void* table_of_open_library(std::string_view plugin, std::string_view id) noexcept;

}  // namespace mqb::loading
