// Claim: the file that says which process a spool has in one role. It is locked as long as it is held, so that a kill releases it.
#pragma once

#include <string>
#include <string_view>

#include "config.hpp"
#include "descriptor.hpp"
#include "spool_directory.hpp"

namespace mqb::dir_spool {

// free -> held -> free; a release removes the file.
class claim {
public:
    explicit claim(std::string name) : name_(std::move(name)) {}
    claim(const claim&) = delete;
    claim& operator=(const claim&) = delete;
    ~claim() { release(); }

    // What a side does with it when it opens a spool. Not empty: somebody else holds it, which the mode allows and the text says. Throws
    // sdk::failure.
    std::string take_as(std::string_view role, const spool_directory& spool, claim_mode mode);
    // 0: held, and the file holds our process id. EWOULDBLOCK: somebody else holds it. Else errno.
    int take(int directory);
    void release() noexcept;
    bool held() const noexcept { return static_cast<bool>(file_); }
    // Of the take that was refused: "process 4711", as far as the file says it.
    const std::string& holder() const noexcept { return holder_; }
    const std::string& name() const noexcept { return name_; }

private:
    std::string name_, holder_;
    descriptor directory_, file_;
};

}  // namespace mqb::dir_spool
