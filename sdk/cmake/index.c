/* index: writes the sidecar index of a plugin: mqb_plugin_index libmqb_NAME.so libmqb_NAME.json [NAME-OF-AN-ENDPOINT …]

   The index tells a host what the library offers without opening it. Size and build id say whether it still fits the file. If the
   library cannot be opened here, the names given are written as endpoints with both sides; without names that is an error.
   C11 and C++11. */
#include <dlfcn.h>
#include <elf.h>
#include <mqb/plugin.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- The file: its bytes and the build id in its note ------------------------------------------------------------------------ */
typedef struct bytes {
    unsigned char *data;
    size_t size;
} bytes;

static bytes read_file(const char *path) {
    bytes all = { NULL, 0 };
    long size;
    FILE *file = fopen(path, "rb");
    if (!file) return all;
    if (fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) > 0 && fseek(file, 0, SEEK_SET) == 0) {
        all.data = (unsigned char *)malloc((size_t)size);
        if (all.data) all.size = fread(all.data, 1, (size_t)size, file);
    }
    fclose(file);
    return all;
}

static void find_build_id(bytes file, char *hex, size_t room) {
    Elf64_Ehdr head;
    unsigned i;
    hex[0] = 0;
    if (file.size < sizeof head || memcmp(file.data, ELFMAG, SELFMAG) != 0 || file.data[EI_CLASS] != ELFCLASS64) return;
    memcpy(&head, file.data, sizeof head);
    for (i = 0; i < head.e_phnum; ++i) {
        Elf64_Phdr part;
        size_t at = head.e_phoff + (size_t)i * head.e_phentsize, end;
        if (at + sizeof part > file.size) return;
        memcpy(&part, file.data + at, sizeof part);
        if (part.p_type != PT_NOTE || part.p_offset > file.size || part.p_filesz > file.size - part.p_offset) continue;
        for (at = part.p_offset, end = at + part.p_filesz; at + sizeof(Elf64_Nhdr) <= end;) {
            Elf64_Nhdr note;
            size_t value, size, k;
            memcpy(&note, file.data + at, sizeof note);
            value = at + sizeof note + (note.n_namesz + 3u) / 4 * 4;
            size = note.n_descsz;
            if (value + size > end) break;
            if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(file.data + at + sizeof note, "GNU", 4) == 0) {
                for (k = 0; k < size && 2 * k + 2 < room; ++k) snprintf(hex + 2 * k, 3, "%02x", file.data[value + k]);
                return;
            }
            at = value + (size + 3) / 4 * 4;
        }
    }
}

/* ---- JSON ------------------------------------------------------------------------------------------------------------------------ */
static void put_text(FILE *to, mqb_text text) {
    size_t i;
    fputc('"', to);
    for (i = 0; i < text.size; ++i) {
        unsigned char c = (unsigned char)text.data[i];
        if (c == '"' || c == '\\') fprintf(to, "\\%c", c);
        else if (c < 0x20) fprintf(to, "\\u%04x", c);
        else fputc(c, to);
    }
    fputc('"', to);
}
static void put_string(FILE *to, const char *text) {
    mqb_text t;
    t.data = text;
    t.size = strlen(text);
    put_text(to, t);
}

static void put_offer(FILE *to, int first, const char *kind, mqb_text name, uint32_t sides) {
    fprintf(to, "%s\n    {\"kind\": \"%s\", \"name\": ", first ? "" : ",", kind);
    put_text(to, name);
    fprintf(to, ", \"sides\": [%s%s%s]}", sides & MQB_SIDE_CONSUMER ? "\"consumer\"" : "",
            sides == (MQB_SIDE_CONSUMER | MQB_SIDE_PUBLISHER) ? ", " : "", sides & MQB_SIDE_PUBLISHER ? "\"publisher\"" : "");
}

static const char *kind_of(uint32_t kind) {
    switch (kind) {
    case MQB_ENDPOINT: return "endpoint";
    case MQB_MIDDLEWARE: return "middleware";
    case MQB_HANDLER: return "handler";
    case MQB_STORE: return "store";
    default: return "unknown";
    }
}

static void put_plugin(FILE *to, const mqb_plugin *plugin) {
    uint32_t i;
    fputs(",\n  \"name\": ", to);
    put_text(to, plugin->name);
    fputs(",\n  \"version\": ", to);
    put_text(to, plugin->version);
    fprintf(to, ",\n  \"draft\": %u,\n  \"licence\": ", (unsigned)plugin->draft);
    put_text(to, plugin->licence);
    fputs(",\n  \"offers\": [", to);
    for (i = 0; i < plugin->factory_count; ++i)
        put_offer(to, i == 0, kind_of(plugin->factories[i]->kind), plugin->factories[i]->name, plugin->factories[i]->sides);
    fputs("\n  ]\n}\n", to);
}

int main(int argc, char **argv) {
    typedef const mqb_plugin *door(void);
    char build_id[129], *temporary;
    const char *base;
    const mqb_plugin *plugin = NULL;
    bytes file;
    FILE *to;
    void *library;
    if (argc < 3) return fputs("usage: mqb_plugin_index LIBRARY INDEX [NAME ...]\n", stderr), 2;
    file = read_file(argv[1]);
    if (!file.data) return fprintf(stderr, "%s: cannot be read\n", argv[1]), 1;
    find_build_id(file, build_id, sizeof build_id);
    base = strrchr(argv[1], '/') ? strrchr(argv[1], '/') + 1 : argv[1];

    library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (library) {
        door *open = NULL;
        void *symbol = dlsym(library, "mqb_plugin_v1");
        memcpy(&open, &symbol, sizeof open); /* a data pointer is not a function pointer, except where there are plugins */
        if (open) plugin = open();
    }
    if (!plugin && argc == 3) return fprintf(stderr, "%s: %s\n", argv[1], library ? "mqb_plugin_v1 is missing" : dlerror()), 1;

    /* Written beside its place and renamed: a host never sees half of it. */
    temporary = (char *)malloc(strlen(argv[2]) + 5);
    if (!temporary) return 1;
    sprintf(temporary, "%s.new", argv[2]);
    to = fopen(temporary, "w");
    if (!to) return perror(temporary), 1;
    fputs("{\n  \"file\": ", to);
    put_string(to, base);
    fprintf(to, ",\n  \"size\": %lu,\n  \"build_id\": \"%s\"", (unsigned long)file.size, build_id);
    if (plugin) {
        put_plugin(to, plugin);
    } else {
        int i;
        fprintf(to, ",\n  \"draft\": %u,\n  \"offers\": [", MQB_ABI_DRAFT);
        for (i = 3; i < argc; ++i) {
            mqb_text name;
            name.data = argv[i];
            name.size = strlen(argv[i]);
            put_offer(to, i == 3, "endpoint", name, MQB_SIDE_CONSUMER | MQB_SIDE_PUBLISHER);
        }
        fputs("\n  ]\n}\n", to);
    }
    if (fclose(to) != 0 || rename(temporary, argv[2]) != 0) return perror(argv[2]), 1;
    return 0;
}
