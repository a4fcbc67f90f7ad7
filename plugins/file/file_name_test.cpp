#include "file_name.hpp"

#include <doctest/doctest.h>

using namespace mqb::file;

TEST_CASE("what a file is packed in belongs to its extension") {
    const char* const all[][3] = {{"orders.csv", "orders", ".csv"},
                                  {"orders.csv.gz", "orders", ".csv.gz"},
                                  {"orders.jsonl.zst.enc", "orders", ".jsonl.zst.enc"},
                                  {"orders.jsonl.enc", "orders", ".jsonl.enc"},
                                  {"orders.lz4", "orders", ".lz4"},
                                  {"a.b.csv", "a.b", ".csv"},
                                  {"orders", "orders", ""},
                                  {"orders.", "orders", "."},
                                  {".hidden", ".hidden", ""},
                                  {".hidden.gz", ".hidden", ".gz"},
                                  {"gz", "gz", ""},
                                  {"", "", ""}};
    for (const auto& [name, stem, extension] : all) {
        CHECK(split(name).stem == stem);
        CHECK(split(name).extension == extension);
    }
}
