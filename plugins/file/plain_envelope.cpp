#include "plain_envelope.hpp"

#include "json_string.hpp"
#include "record_format.hpp"
#include "utf8.hpp"

namespace mqb::file {
namespace {

// Walks strict JSON text; a step that does not fit answers false or null, and then nothing more is to be asked.
class strict_text {
public:
    explicit strict_text(std::string_view text) noexcept : at_(text.data()), end_(text.data() + text.size()) {}

    bool take(char wanted) noexcept {
        skip_white();
        if (at_ == end_ || *at_ != wanted) return false;
        ++at_;
        return true;
    }
    bool is_at_end() noexcept {
        skip_white();
        return at_ == end_;
    }
    // Writes what a string means and returns its end. Null: not a string, or one with \u escapes.
    char* string(char* to) noexcept {
        if (!take('"')) return nullptr;
        for (;;) {
            if (end_ - at_ >= 16) {
                const chunk16 bytes = chunk16::load(at_);
                bytes.store(to);
                const chunk_set found = json_stops{}.among(bytes).high();
                const std::ptrdiff_t plain = found != 0 ? first_of(found) : 16;
                at_ += plain;
                to += plain;
                if (found == 0) continue;
            }
            if (end_ - at_ < 2) return nullptr;
            const char c = *at_++;
            if (c == '"') return to;
            if (static_cast<unsigned char>(c) < 0x20) return nullptr;
            *to = c;
            if (c == '\\' && (*to = meaning(*at_++)) == '\0') return nullptr;
            ++to;
        }
    }

private:
    static char meaning(char escape) noexcept {
        switch (escape) {
            case '"':
            case '\\':
            case '/': return escape;
            case 'n': return '\n';
            case 'r': return '\r';
            case 't': return '\t';
            case 'b': return '\b';
            case 'f': return '\f';
            default: return '\0';
        }
    }
    void skip_white() noexcept {
        while (at_ < end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\r' || *at_ == '\n')) ++at_;
    }

    const char* at_;
    const char* end_;
};

// The end of the block, or null.
char* read_metadata(strict_text& text, char* to) noexcept {
    if (!text.take('{')) return nullptr;
    if (text.take('}')) return to;
    std::size_t entries = 0;
    do {
        char* const key = to + entry_head;
        char* const value = text.string(key);
        if (value == nullptr || !text.take(':')) return nullptr;
        char* const end = text.string(value);
        if (end == nullptr) return nullptr;
        const std::string_view name(key, static_cast<std::size_t>(value - key));
        if (name.empty() || name.size() > UINT16_MAX || name.starts_with(source_prefix) || name == payload_bytes_key) return nullptr;
        if (++entries > MQB_META_MAX_ENTRIES) return nullptr;
        put_entry_head(to, name.size(), static_cast<std::size_t>(end - value));
        to = end;
    } while (text.take(','));
    return text.take('}') ? to : nullptr;
}

}  // namespace

std::optional<envelope> read_plain_envelope(std::string_view line, char* to) noexcept {
    if (!is_utf8(line)) return std::nullopt;
    strict_text text(line);
    if (!text.take('{')) return std::nullopt;
    envelope read;
    bool has_id = false, has_payload = false, has_metadata = false;
    do {
        char* const key_end = text.string(to);
        if (key_end == nullptr || !text.take(':')) return std::nullopt;
        const std::string_view key(to, static_cast<std::size_t>(key_end - to));
        bool* const had = key == "message_id" ? &has_id : key == "payload" ? &has_payload : key == "metadata" ? &has_metadata : nullptr;
        if (had == nullptr || *had) return std::nullopt;
        *had = true;
        char* const end = had == &has_metadata ? read_metadata(text, to) : text.string(to);
        if (end == nullptr) return std::nullopt;
        const std::string_view value(to, static_cast<std::size_t>(end - to));
        if (had == &has_id) {
            read.id = sdk::id_from_text(value);
            continue;
        }
        (had == &has_payload ? read.payload : read.metadata) = value;
        to = end;
    } while (text.take(','));
    if (!text.take('}') || !text.is_at_end() || !has_id || !has_payload || read.metadata.size() > MQB_META_MAX_SIZE) return std::nullopt;
    return read;
}

}  // namespace mqb::file
