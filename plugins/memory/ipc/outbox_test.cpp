#include "outbox.hpp"

#include <doctest/doctest.h>

using namespace mqb::memory;

namespace {

framed_send frames_of(std::size_t bytes) {
    framed_send one;
    one.bytes.prepare(bytes);
    one.bytes.keep(bytes);
    one.parts.push_back({bytes, 0, 1});
    return one;
}

}  // namespace

TEST_CASE("memory of a send before is used again, unless that was a large one") {
    for (const std::size_t size : {std::size_t{1} << 10, std::size_t{8} << 20}) {
        outbox box;
        framed_send sent = frames_of(size), next = frames_of(10);
        const std::uint8_t* const memory = sent.bytes.data();
        box.add(sent, true);
        box.drop_last();
        box.add(next, true);
        CHECK(next.bytes.size() == 0);
        CHECK(next.parts.empty());
        CHECK(next.bytes.data() == (size < 1 << 20 ? memory : nullptr));
    }
}
