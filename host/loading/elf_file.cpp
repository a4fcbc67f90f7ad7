#include "host/loading/elf_file.hpp"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <vector>

namespace mqb::loading {

namespace {

#if defined(__x86_64__)
constexpr std::uint16_t our_machine = EM_X86_64;
#elif defined(__aarch64__)
constexpr std::uint16_t our_machine = EM_AARCH64;
#elif defined(__riscv)
constexpr std::uint16_t our_machine = EM_RISCV;
#elif defined(__powerpc64__)
constexpr std::uint16_t our_machine = EM_PPC64;
#elif defined(__s390x__)
constexpr std::uint16_t our_machine = EM_S390;
#else
#error "which ELF machine is this?"
#endif
static_assert(sizeof(void*) == 8);

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
constexpr unsigned char our_data = ELFDATA2LSB;
#else
constexpr unsigned char our_data = ELFDATA2MSB;
#endif

std::string machine_name(std::uint16_t machine) {
    switch (machine) {
        case EM_X86_64: return "x86-64";
        case EM_386: return "x86 (32 bit)";
        case EM_AARCH64: return "aarch64";
        case EM_ARM: return "arm (32 bit)";
        case EM_RISCV: return "riscv";
        case EM_PPC64: return "ppc64";
        case EM_S390: return "s390";
        default: return "machine " + std::to_string(machine);
    }
}

class open_file {
public:
    explicit open_file(const std::filesystem::path& file) : fd_(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
    ~open_file() {
        if (fd_ >= 0) ::close(fd_);
    }
    open_file(const open_file&) = delete;
    open_file& operator=(const open_file&) = delete;

    [[nodiscard]] int fd() const { return fd_; }
    // True if all of it is there.
    bool read(void* to, std::size_t size, std::uint64_t at) const {
        auto* p = static_cast<char*>(to);
        while (size > 0) {
            const ssize_t n = ::pread(fd_, p, size, static_cast<off_t>(at));
            if (n < 0 && errno == EINTR) continue;
            if (n <= 0) return false;
            p += n;
            at += static_cast<std::uint64_t>(n);
            size -= static_cast<std::size_t>(n);
        }
        return true;
    }

private:
    int fd_;
};

file_identity identity_of(const struct stat& s) {
    const auto n = [](auto number) { return static_cast<std::uint64_t>(number); };
    return {{n(s.st_dev), n(s.st_ino), n(s.st_size), n(s.st_mtim.tv_sec), n(s.st_mtim.tv_nsec), n(s.st_ctim.tv_sec), n(s.st_ctim.tv_nsec)}};
}

std::string cut_text(std::uint64_t needed, std::uint64_t size) {
    return "is cut: it should have " + std::to_string(needed) + " bytes and has " + std::to_string(size);
}

std::string hex(const unsigned char* bytes, std::size_t n) {
    static constexpr char digits[] = "0123456789abcdef";
    std::string out;
    for (std::size_t i = 0; i < n; ++i) {
        out += digits[bytes[i] >> 4];
        out += digits[bytes[i] & 15];
    }
    return out;
}

// The GNU build id among the notes of one segment.
std::string build_id_in(const std::vector<unsigned char>& notes) {
    std::size_t at = 0;
    while (at + sizeof(Elf64_Nhdr) <= notes.size()) {
        Elf64_Nhdr note;
        std::memcpy(&note, notes.data() + at, sizeof note);
        const std::size_t name = at + sizeof note;
        const std::size_t text = name + ((std::size_t{note.n_namesz} + 3) & ~std::size_t{3});
        const std::size_t end = text + ((std::size_t{note.n_descsz} + 3) & ~std::size_t{3});
        if (text > notes.size() || text + note.n_descsz > notes.size() || end <= at) break;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(notes.data() + name, "GNU", 4) == 0)
            return hex(notes.data() + text, note.n_descsz);
        at = end;
    }
    return {};
}

// The segments: all of them must be in the file, since the loader maps them and a missing page is a SIGBUS.
std::string read_segments(const open_file& in, const Elf64_Ehdr& head, elf_facts& facts) {
    if (head.e_phentsize != sizeof(Elf64_Phdr) || head.e_phnum == 0) return "is a damaged ELF file: it has no segments";
    std::vector<Elf64_Phdr> segments(head.e_phnum);
    const std::uint64_t bytes = std::uint64_t{head.e_phnum} * sizeof(Elf64_Phdr);
    if (!in.read(segments.data(), bytes, head.e_phoff)) return cut_text(head.e_phoff + bytes, facts.size);
    std::uint64_t needed = head.e_shoff ? head.e_shoff + std::uint64_t{head.e_shnum} * head.e_shentsize : 0;
    for (const Elf64_Phdr& s : segments)
        if (s.p_type != PT_NULL && s.p_filesz) needed = std::max<std::uint64_t>(needed, s.p_offset + s.p_filesz);
    if (needed > facts.size) return cut_text(needed, facts.size);
    for (const Elf64_Phdr& s : segments) {
        if (s.p_type != PT_NOTE || s.p_filesz > 65536 || !facts.build_id.empty()) continue;
        std::vector<unsigned char> notes(s.p_filesz);
        if (in.read(notes.data(), notes.size(), s.p_offset)) facts.build_id = build_id_in(notes);
    }
    return {};
}

std::string read_head(const open_file& in, elf_facts& facts) {
    Elf64_Ehdr head{};
    const std::size_t size = std::min<std::size_t>(facts.size, sizeof head);
    if (!in.read(&head, size, 0)) return std::string{"cannot be read: "} + std::strerror(errno);
    const bool begins_like_elf = std::memcmp(head.e_ident, ELFMAG, std::min<std::size_t>(size, SELFMAG)) == 0;
    if (!begins_like_elf || size < SELFMAG) return "is not a shared library: it is no ELF file";
    if (size < sizeof head) return cut_text(sizeof head, facts.size);
    if (head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_ident[EI_DATA] != our_data || head.e_machine != our_machine)
        return "is built for another architecture: " + machine_name(head.e_machine) + ", this is " + machine_name(our_machine);
    if (head.e_type != ET_DYN) return "is not a shared library: it is another kind of ELF file";
    return read_segments(in, head, facts);
}

}  // namespace

file_identity identity_of(const std::filesystem::path& file) {
    struct stat s {};
    return ::stat(file.c_str(), &s) == 0 ? identity_of(s) : file_identity{};
}

std::string fault_in_file(const std::filesystem::path& file, elf_facts& facts) {
    facts = {};
    struct stat about {};
    if (::stat(file.c_str(), &about) != 0) {
        struct stat link {};
        if (errno == ENOENT && ::lstat(file.c_str(), &link) == 0) return "is a link to a file that does not exist";
        return errno == ENOENT ? "does not exist" : std::string{"cannot be read: "} + std::strerror(errno);
    }
    if (S_ISDIR(about.st_mode)) return "is a directory";
    if (!S_ISREG(about.st_mode)) return "is not a regular file";
    facts.size = static_cast<std::uint64_t>(about.st_size);
    facts.identity = identity_of(about);
    if (facts.size == 0) return "is empty";
    const open_file in{file};
    if (in.fd() < 0) return std::string{"cannot be read: "} + std::strerror(errno);
    return read_head(in, facts);
}

}  // namespace mqb::loading
