/* metadata.h: the metadata block, an ordered list of key and typed value in one position-independent encoding.

   The same bytes everywhere: in a message, in a store, in a mapped file, between processes. No alignment; all integers are
   little-endian. A block has no header: its length is the buffer's, an empty buffer is an empty block, and two blocks one after
   the other are a block (appending is concatenation). Order is the order of insertion; repeated keys stay, and the last counts.

     block := entry*
     entry := type:u8 zero:u8 key-size:u16 value-size:u32 key value        8 + key-size + value-size bytes
     key   := UTF-8, 1 to 65535 bytes, no U+0000
     value := by type, below

   Bounds: at most MQB_META_MAX_ENTRIES entries and MQB_META_MAX_SIZE bytes; the host refuses a message with a larger block.
   Text form, for templates and text-only transports: null is empty; text and json as they are; bool `true` or `false`; int64
   decimal; double the shortest text that reads back the same, `nan`, `inf`, `-inf`; time RFC 3339 in UTC with as many decimals
   as are not zero; bytes and all other types base64 with padding. */
#ifndef MQB_METADATA_H
#define MQB_METADATA_H
#include "message.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    MQB_META_NULL = 0,     /* 0 bytes */
    MQB_META_BYTES = 1,    /* any */
    MQB_META_TEXT = 2,     /* UTF-8 */
    MQB_META_BOOL = 3,     /* 1 byte, 0 or 1 */
    MQB_META_INT = 4,      /* int64: 8 bytes, two's complement */
    MQB_META_DOUBLE = 5,   /* 8 bytes, IEEE 754; NaN and infinities are allowed */
    MQB_META_TIME = 6,     /* 12 bytes: seconds since 1970-01-01T00:00:00Z as int64, nanoseconds 0..999999999 as u32 */
    MQB_META_JSON = 7,     /* UTF-8, one JSON text */
    MQB_META_PRIVATE = 128 /* 128..255: only the endpoint whose prefix the key has reads it; 8..127 are kept and forwarded */
};
/* The key of the text that a consumer puts *first* into a record of which it cannot make a message: the reason. The payload is the
   record's bytes. The host treats it as refused for good (dead letters, on_error); a key at any other place says nothing. */
#define MQB_META_BROKEN_KEY "mqb.error"
#define MQB_META_MAX_ENTRIES 4096u
#define MQB_META_MAX_SIZE (16u << 20)

/* One entry as it stands in a block. value: the encoded bytes. Both borrow from the block. */
typedef struct mqb_meta {
    int32_t type;
    mqb_text key;
    mqb_text value;
} mqb_meta;

static inline uint64_t mqb_get_le(const uint8_t* p, int bytes) {
    uint64_t v = 0;
    for (int i = 0; i < bytes; ++i) v |= (uint64_t)p[i] << (8 * i);
    return v;
}
static inline void mqb_put_le(uint8_t* p, uint64_t v, int bytes) {
    for (int i = 0; i < bytes; ++i) p[i] = (uint8_t)(v >> (8 * i));
}

/* [any] Walks a block: start with *at = 0. 1: *out is the next entry; 0: the end; -1: invalid from here on. Never reads outside
   the buffer. An entry of unknown type is an entry. */
static inline int mqb_meta_next(const mqb_buffer* block, size_t* at, mqb_meta* out) {
    const uint8_t* p = block->data;
    size_t left, key, value;
    if (block->size == 0 || *at == block->size) return 0;
    left = block->size - *at;
    if (left < 8) return -1;
    p += *at;
    key = (size_t)mqb_get_le(p + 2, 2);
    value = (size_t)mqb_get_le(p + 4, 4);
    if (key == 0 || key > left - 8 || value > left - 8 - key || p[1] != 0) return -1;
    out->type = p[0];
    out->key.data = (const char*)p + 8;
    out->key.size = key;
    out->value.data = out->key.data + key;
    out->value.size = value;
    *at += 8 + key + value;
    return 1;
}

/* [any] The last entry with this key: 1, 0 or -1 as above. */
static inline int mqb_meta_get(const mqb_buffer* block, mqb_text key, mqb_meta* out) {
    mqb_meta m;
    size_t at = 0;
    int found = 0, more;
    while ((more = mqb_meta_next(block, &at, &m)) == 1)
        if (m.key.size == key.size && memcmp(m.key.data, key.data, key.size) == 0) {
            *out = m;
            found = 1;
        }
    return more < 0 ? -1 : found;
}

/* [any] Typed readers of an entry: 1 and *out, or 0 when the entry has another type or a wrong size (then it is bytes). */
static inline int mqb_meta_bool(const mqb_meta* m, int* out) {
    if (m->type != MQB_META_BOOL || m->value.size != 1) return 0;
    *out = m->value.data[0] != 0;
    return 1;
}
static inline int mqb_meta_int(const mqb_meta* m, int64_t* out) {
    if (m->type != MQB_META_INT || m->value.size != 8) return 0;
    *out = (int64_t)mqb_get_le((const uint8_t*)m->value.data, 8);
    return 1;
}
static inline int mqb_meta_double(const mqb_meta* m, double* out) {
    uint64_t bits;
    if (m->type != MQB_META_DOUBLE || m->value.size != 8) return 0;
    bits = mqb_get_le((const uint8_t*)m->value.data, 8);
    memcpy(out, &bits, 8);
    return 1;
}
static inline int mqb_meta_time(const mqb_meta* m, int64_t* seconds, uint32_t* nanoseconds) {
    const uint8_t* p = (const uint8_t*)m->value.data;
    if (m->type != MQB_META_TIME || m->value.size != 12) return 0;
    *seconds = (int64_t)mqb_get_le(p, 8);
    *nanoseconds = (uint32_t)mqb_get_le(p + 8, 4);
    return 1;
}

/* [any] Appends an entry at `at` if it fits in `room`, and returns where the next one goes, also when it did not fit: walk once
   with room 0 to learn the size. An entry that the encoding cannot say (a key of 0 or more than 65535 bytes, a value over 4 GiB)
   is not written: `at` is returned. */
static inline size_t mqb_meta_put(uint8_t* to, size_t room, size_t at, int type, mqb_text key, const void* value, size_t size) {
    size_t end;
    if (key.size == 0 || key.size > UINT16_MAX || size > UINT32_MAX) return at;
    end = at + 8 + key.size + size;
    if (end <= room) {
        to[at] = (uint8_t)type;
        to[at + 1] = 0;
        mqb_put_le(to + at + 2, key.size, 2);
        mqb_put_le(to + at + 4, size, 4);
        memcpy(to + at + 8, key.data, key.size);
        if (size) memcpy(to + at + 8 + key.size, value, size);
    }
    return end;
}
/* [any] The same for a value of 8 bytes: MQB_META_INT, or the bits of a double. */
static inline size_t mqb_meta_put_int(uint8_t* to, size_t room, size_t at, int type, mqb_text key, uint64_t bits) {
    uint8_t v[8];
    mqb_put_le(v, bits, 8);
    return mqb_meta_put(to, room, at, type, key, v, 8);
}

#ifdef __cplusplus
}
#endif
#endif
