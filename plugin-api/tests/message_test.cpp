#include <mqb/call.h>
#include <mqb/store.h>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace {

constexpr std::uint8_t poison = 0xA5;

// `count` messages of which `size` bytes mean something, each followed by `gap` bytes that do not.
class strided {
public:
    strided(std::uint32_t count, std::size_t size, std::size_t gap) : size_(size), stride_(size + gap), bytes_(count * stride_, poison) {
        for (std::uint32_t i = 0; i < count; ++i) {
            mqb_message m;
            std::memset(&m, 0, sizeof m);
            m.id[0] = static_cast<std::uint8_t>(i + 1);
            m.lane = 100 + i;
            m.delivery_count = i + 1;
            m.payload.size = 1000 + i;
            m.metadata.size = 2000 + i;
            std::uint8_t* to = bytes_.data() + i * stride_;
            std::memset(to, 0, size_);  // of a newer struct: fields that this header does not know
            std::memcpy(to, &m, size_ < sizeof m ? size_ : sizeof m);
        }
        tails(true);
    }
    ~strided() { tails(false); }
    strided(const strided&) = delete;
    strided& operator=(const strided&) = delete;

    [[nodiscard]] mqb_list list() {
        mqb_list l = mqb_list_of(bytes_.data(), static_cast<std::uint32_t>(bytes_.size() / stride_), size_);
        l.stride = static_cast<std::uint16_t>(stride_);
        return l;
    }

private:
    void tails([[maybe_unused]] bool on) {
#if defined(__SANITIZE_ADDRESS__)
        for (std::size_t at = 0; at < bytes_.size(); at += stride_) {
            if (on)
                ASAN_POISON_MEMORY_REGION(bytes_.data() + at + size_, stride_ - size_);
            else
                ASAN_UNPOISON_MEMORY_REGION(bytes_.data() + at + size_, stride_ - size_);
        }
#endif
    }
    std::size_t size_, stride_;
    std::vector<std::uint8_t> bytes_;
};

// The message as an older header could have had it: without metadata, which is its last field.
constexpr std::size_t shorter = offsetof(mqb_message, metadata);
constexpr std::size_t longer = sizeof(mqb_message) + 24;

struct counted : mqb_owner {
    int count = 1;
    counted() : mqb_owner{sizeof(mqb_owner), 0, 64, retained, released} {}
    static void retained(mqb_owner* self) { ++static_cast<counted*>(self)->count; }
    static void released(mqb_owner* self) { --static_cast<counted*>(self)->count; }
};

}  // namespace

TEST_CASE("a list of an ordinary array is walked by the size of its elements") {
    mqb_outcome all[3] = {};
    const mqb_list l = mqb_list_of(all, 3, sizeof all[0]);
    CHECK(l.count == 3);
    CHECK(l.stride == sizeof(mqb_outcome));
    CHECK(l.size == sizeof(mqb_outcome));
    for (std::uint32_t i = 0; i < 3; ++i) CHECK(mqb_outcome_at(&l, i) == &all[i]);
}

TEST_CASE("messages are found behind poisoned tails") {
    for (const std::size_t gap : {std::size_t{0}, std::size_t{16}}) {
        strided s(5, sizeof(mqb_message), gap);
        const mqb_list l = s.list();
        for (std::uint32_t i = 0; i < 5; ++i) {
            CHECK(mqb_message_at(&l, i)->lane == 100 + i);
            CHECK(mqb_message_at(&l, i)->metadata.size == 2000 + i);
        }
    }
}

TEST_CASE("a copy of an equally long element has every field and nothing of the tail") {
    strided s(3, sizeof(mqb_message), 16);
    const mqb_list l = s.list();
    mqb_message m;
    std::memset(&m, poison, sizeof m);
    mqb_message_copy(&l, 2, &m);
    CHECK(std::memcmp(&m, mqb_message_at(&l, 2), sizeof m) == 0);
}

TEST_CASE("a copy of a shorter element has its fields; the rest is zero, not the poison behind it") {
    strided s(3, shorter, 16);
    const mqb_list l = s.list();
    for (std::uint32_t i = 0; i < 3; ++i) {
        mqb_message m;
        std::memset(&m, poison, sizeof m);
        mqb_message_copy(&l, i, &m);
        CHECK(m.id[0] == i + 1);
        CHECK(m.lane == 100 + i);
        CHECK(m.delivery_count == i + 1);
        CHECK(m.payload.size == 1000 + i);
        CHECK(m.metadata.data == nullptr);
        CHECK(m.metadata.size == 0);
        CHECK(m.metadata.owner == nullptr);
    }
}

TEST_CASE("a copy of a longer element has what this header knows and writes no more") {
    strided s(3, longer, 16);
    const mqb_list l = s.list();
    for (std::uint32_t i = 0; i < 3; ++i) {
        struct {
            mqb_message m;
            std::uint8_t behind[32];
        } to;
        std::memset(&to, poison, sizeof to);
        mqb_message_copy(&l, i, &to.m);
        CHECK(to.m.lane == 100 + i);
        CHECK(to.m.metadata.size == 2000 + i);
        for (const std::uint8_t b : to.behind) CHECK(b == poison);
    }
}

TEST_CASE("retain and release count both buffers and leave one without owner alone") {
    counted payload, metadata;
    mqb_message m;
    std::memset(&m, 0, sizeof m);
    mqb_message_retain(&m);
    mqb_message_release(&m);

    m.payload.owner = &payload;
    m.metadata.owner = &metadata;
    mqb_message_retain(&m);
    CHECK(payload.count == 2);
    CHECK(metadata.count == 2);
    m.metadata.owner = &payload;
    mqb_message_retain(&m);
    CHECK(payload.count == 4);
    mqb_message_release(&m);
    m.metadata.owner = &metadata;
    mqb_message_release(&m);
    CHECK(payload.count == 1);
    CHECK(metadata.count == 1);
}

TEST_CASE("the zero of every outcome says that nothing was said") {
    mqb_outcome zeroed;
    std::memset(&zeroed, 0, sizeof zeroed);
    CHECK(zeroed.result == MQB_UNSENT);
    CHECK(zeroed.result == MQB_SETTLE_RETRY);
    CHECK(zeroed.result == MQB_STORE_NOT_DONE);
    CHECK(zeroed.flags == 0);
}
