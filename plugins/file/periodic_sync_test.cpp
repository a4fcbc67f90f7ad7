#include "periodic_sync.hpp"

#include <algorithm>

#include <doctest/doctest.h>

#include "sync_under_test.hpp"

using namespace mqb::file;
using namespace mqb::file::testing;
using namespace std::chrono_literals;

TEST_CASE("what was written is synchronised within the interval, once for all that was written meanwhile") {
    sync_under_test syncs;
    periodic_sync sync(200ms);
    sync.start();
    const auto written = std::chrono::steady_clock::now();
    for (int i = 0; i < 100; ++i) sync.wrote(7);
    syncs.wait_for(1);
    CHECK(std::chrono::steady_clock::now() - written >= 100ms);  // half of it is for the sync itself
    CHECK(syncs.descriptors() == std::vector<int>{7});
    CHECK(sync.finish() == 0);
    CHECK(syncs.descriptors() == std::vector<int>{7});  // nothing is left to do
}

TEST_CASE("what is written while a sync is going on is synchronised by the next one") {
    sync_under_test syncs;
    periodic_sync sync(1ms);
    sync.start();
    syncs.hold();
    sync.wrote(7);
    syncs.wait_for(1);
    sync.wrote(7);
    CHECK(sync.error() == 0);  // not blocked
    syncs.let_go();
    syncs.wait_for(2);
    CHECK(sync.finish() == 0);
    CHECK(syncs.descriptors() == std::vector<int>{7, 7});
}

TEST_CASE("the end brings the rest to the disk, long before the interval is over") {
    sync_under_test syncs;
    periodic_sync sync(1h);
    sync.start();
    sync.wrote(7);
    CHECK(sync.finish() == 0);
    CHECK(syncs.descriptors() == std::vector<int>{7});
    sync.wrote(8);
    CHECK(sync.finish() == 0);
    CHECK(syncs.descriptors() == std::vector<int>{7, 8});
}

TEST_CASE("a sync that failed is never tried again, and told until the file is given up") {
    sync_under_test syncs;
    periodic_sync sync(1ms);
    sync.start();
    syncs.fail_next(EIO);
    sync.wrote(7);
    syncs.wait_for(1);
    while (sync.error() == 0) std::this_thread::yield();
    CHECK(sync.error() == EIO);
    sync.wrote(7);
    periodic_sync other(1ms);  // long enough for another try
    other.start();
    for (std::size_t i = 2; i < 12; ++i) {
        other.wrote(9);
        syncs.wait_for(i);
    }
    CHECK(syncs.descriptors()[1] == 9);
    CHECK(sync.finish() == EIO);
    const std::vector<int> all = syncs.descriptors();
    CHECK(std::count(all.begin(), all.end(), 7) == 1);
    sync.wrote(8);  // the file was opened again
    CHECK(sync.finish() == 0);
}

TEST_CASE("one that was never started, or never written to, ends") {
    sync_under_test syncs;
    periodic_sync sync(1ms), other(1ms);
    other.start();
    CHECK(sync.finish() == 0);
    CHECK(syncs.descriptors().empty());
}
