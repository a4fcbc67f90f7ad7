// File name: where a time or a number is put into it, so that other programs still know the file by its end.
#pragma once

#include <string_view>

namespace mqb::file {

// orders and .csv; orders and .csv.gz.enc: what a file is packed in belongs to its extension.
struct file_name {
    std::string_view stem, extension;
};

// Of a name without a folder, of which the answer is a part.
file_name split(std::string_view name) noexcept;

}  // namespace mqb::file
