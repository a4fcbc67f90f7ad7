#include "library.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <stdexcept>

namespace mqb::conformance {
namespace {
std::mutex own_guard;
std::set<int> own_threads;

std::set<int> numbers_in(const char* folder) {
    std::set<int> out;
    std::error_code ignored;
    for (const auto& e : std::filesystem::directory_iterator(folder, ignored)) out.insert(std::atoi(e.path().filename().c_str()));
    return out;
}
// To open a pipe would wait for somebody who writes to it.
void require_regular(const std::string& path) {
    std::error_code ec;
    const auto status = std::filesystem::status(path, ec);
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
        fail(rules::loadable, path + " is not a regular file");
}
template <class T>
T at(const std::string& file, std::size_t offset) {
    T out;
    if (offset + sizeof out > file.size()) throw std::runtime_error("the file is cut");
    std::memcpy(&out, file.data() + offset, sizeof out);
    return out;
}
}  // namespace

const mqb_plugin* (*library::door() const)(void) {
    std::string full = path.find('/') == std::string::npos ? "./" + path : path;
    require_regular(path);
    mark("dlopen");
    void* handle = dlopen(full.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) fail(rules::loadable, dlerror());
    void* symbol = dlsym(handle, "mqb_plugin_v1");
    mark(nullptr);
    if (!symbol) fail(rules::symbol, path + " has no symbol mqb_plugin_v1: " + dlerror());
    return reinterpret_cast<const mqb_plugin* (*)(void)>(symbol);
}

const mqb_plugin* library::open() const {
    if (linked) return linked;
    auto* call = door();
    const mqb_plugin* p = enter("mqb_plugin_v1", [&] { return call(); });
    if (!p) fail(rules::looking, "mqb_plugin_v1 returned null");
    return p;
}

std::string as_string(mqb_text t) { return t.size ? std::string(t.data, t.size) : std::string(); }

std::vector<std::string> exported_symbols(const std::string& path) {
    require_regular(path);
    std::ifstream in(path, std::ios::binary);
    if (!in) throw std::runtime_error("cannot be read");
    const std::string file((std::istreambuf_iterator<char>(in)), {});
    const auto head = at<Elf64_Ehdr>(file, 0);
    if (std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64)
        throw std::runtime_error("not a 64-bit ELF file");
    std::vector<std::string> names;
    for (unsigned i = 0; i < head.e_shnum; ++i) {
        const auto section = at<Elf64_Shdr>(file, head.e_shoff + i * head.e_shentsize);
        if (section.sh_type != SHT_DYNSYM) continue;
        const auto strings = at<Elf64_Shdr>(file, head.e_shoff + section.sh_link * head.e_shentsize);
        for (std::size_t k = 0; k + sizeof(Elf64_Sym) <= section.sh_size; k += sizeof(Elf64_Sym)) {
            const auto symbol = at<Elf64_Sym>(file, section.sh_offset + k);
            if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx == SHN_ABS || ELF64_ST_BIND(symbol.st_info) == STB_LOCAL) continue;
            const std::size_t from = strings.sh_offset + symbol.st_name;
            if (from >= file.size()) throw std::runtime_error("the file is cut");
            names.emplace_back(file.data() + from, strnlen(file.data() + from, file.size() - from));
        }
    }
    return names;
}

std::set<int> threads_now() {
    std::set<int> all = numbers_in("/proc/self/task");
    std::lock_guard lock(own_guard);
    for (int t : own_threads) all.erase(t);
    return all;
}
void this_thread_is_the_kits() {
    std::lock_guard lock(own_guard);
    own_threads.insert(gettid());
}
int descriptors_now() { return static_cast<int>(numbers_in("/proc/self/fd").size()); }

}  // namespace mqb::conformance
