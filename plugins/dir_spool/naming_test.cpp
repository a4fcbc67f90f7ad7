#include "naming.hpp"

#include <doctest/doctest.h>

#include "chunk_files.hpp"

using namespace mqb::dir_spool;

namespace {
const std::uint8_t id[16] = {0x01, 0x99, 0xf3, 0xab, 0, 0, 0x70, 0, 0x80, 0, 0, 0, 0, 0, 0, 1};
}

TEST_CASE("a name is made of the sequence, the time and the id") {
    CHECK(naming("{seq:09}", {}).path_of(0, 5, id) == "000000000");
    CHECK(naming("{seq}", {}).path_of(7, 5, id) == "7");
    CHECK(naming("{seq:06d}_{timestamp}", {}).path_of(42, 1700000000123, id) == "000042_1700000000123");
    CHECK(naming("{seq:03}-{message_id}", {}).path_of(12345, 0, id) == "12345-0199f3ab-0000-7000-8000-000000000001");
    CHECK(naming("{seq:020}", {}).path_of(UINT64_MAX, 0, id) == "18446744073709551615");
}

TEST_CASE("the first digits become directories") {
    CHECK(naming("{seq:09}", {2, 3}).path_of(1, 0, id) == "000/000/001");
    CHECK(naming("{seq:09}_{timestamp}", {1, 3}).path_of(1234567, 8, id) == "001/234567_8");
    CHECK(naming("{seq:05}", {4, 1}).path_of(98765, 0, id) == "9/8/7/6/5");
    CHECK(naming("{seq:03}", {2, 1}).path_of(1234, 0, id) == "1/2/34");
    CHECK(shards{1, 3}.are_named("012"));
    for (const char* no : {"12", "0123", "01a", "", ".."}) CHECK_FALSE(shards{1, 3}.are_named(no));
}

TEST_CASE("a pattern knows the names that it makes") {
    const naming plain("{seq:03}", {}), full("{seq:03}_{timestamp}-{message_id}", {});
    for (const char* yes : {"000", "012", "1234"}) CHECK(plain.makes(yes));
    for (const char* no : {"", "12", "0123", "012x", "x012", "012_1"}) CHECK_FALSE(plain.makes(no));
    CHECK(full.makes("001_17-0199f3ab-0000-7000-8000-000000000001"));
    for (const char* no : {"001_-0199f3ab-0000-7000-8000-000000000001", "001_17-0199f3ab", "001_17-0199f3ab-0000-7000-8000-00000000000x"})
        CHECK_FALSE(full.makes(no));
    CHECK(naming("{seq}", {}).makes("0"));
    CHECK_FALSE(naming("{seq}", {}).makes("01"));
}

TEST_CASE("the sequence of a name is what it begins with, if 64 bits hold it") {
    CHECK(sequence_of("000012_1700000000000") == 12);
    CHECK(sequence_of("18446744073709551615") == UINT64_MAX);
    CHECK(sequence_of("00000000000000000000000000000007") == 7);
    for (const char* none : {"", "x1", "-1", "18446744073709551616", "99999999999999999999999"}) CHECK_FALSE(sequence_of(none));
    CHECK(naming("{seq:03}", {}).last_in_order() == 999);
    CHECK(naming("{seq}", {}).last_in_order() == 9);
    CHECK(naming("{seq:020}", {}).last_in_order() == UINT64_MAX);
}

TEST_CASE("a file name says what the file is of a chunk") {
    const chunk_files files(".dat", "meta"), bare("bin", "");
    CHECK(files.payload("000/1") == "000/1.dat");
    CHECK(files.sidecar("1") == "1.meta");
    const auto kind = [&](const char* name) { return files.role_of(name).kind; };
    CHECK(files.role_of("1.dat").stem == "1");
    CHECK(kind("1.dat") == file_kind::payload);
    CHECK(kind("1.meta") == file_kind::sidecar);
    CHECK(kind("1.dat.tmp") == file_kind::unfinished);
    CHECK(files.role_of("1.meta.tmp").stem == "1");
    for (const char* refused : {"1.dat.refused", "1.meta.refused", "1.dat.2.refused", "1.meta.17.refused"}) {
        CHECK(kind(refused) == file_kind::refused);
        CHECK(files.role_of(refused).stem == "1");
    }
    for (const char* foreign :
         {"1.bin", ".dat", "dat", "1.DAT", "1.tmp", "1.refused", "1.dat..refused", "1.dat.x.refused", "DONE", "1.dat.tmp.tmp"})
        CHECK(kind(foreign) == file_kind::foreign);
    CHECK_FALSE(bare.has_sidecars());
    CHECK(bare.role_of("1.json").kind == file_kind::foreign);
}
