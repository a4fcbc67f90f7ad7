// mutations: runs a fuzz function without a fuzzer: over each line of a file of seeds ("\0" there is a zero byte), and over mutations and
// crossings of them, always the same ones.
//
//   NAME_mutations SEEDS [RUNS]
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

void run(const std::string& input) {
    // A block of its own, so that a sanitizer sees what is read behind it.
    const std::vector<std::uint8_t> bytes{input.begin(), input.end()};
    (void)LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

std::string seed_of(std::string line) {
    for (std::size_t at = line.find("\\0"); at != std::string::npos; at = line.find("\\0", at + 1)) line.replace(at, 2, 1, '\0');
    return line;
}

struct mutator {
    std::mt19937_64 dice{1};
    const std::vector<std::string>& seeds;

    std::size_t below(std::size_t n) { return n == 0 ? 0 : dice() % n; }
    std::string made() {
        std::string out = seeds[below(seeds.size())];
        for (std::size_t left = 1 + below(4); left-- > 0;) {
            const std::size_t at = below(out.size() + 1);
            const std::string& other = seeds[below(seeds.size())];
            switch (below(5)) {
                case 0: out.insert(at, 1, static_cast<char>(dice())); break;
                case 1: out.erase(at, 1 + below(8)); break;
                case 2:
                    if (at < out.size()) out[at] = static_cast<char>(dice());
                    break;
                case 3: out = out.substr(0, at) + other.substr(below(other.size())); break;
                default: out.insert(at, out.substr(below(out.size()), below(16)));
            }
        }
        return out;
    }
};

}  // namespace

int main(int count, char** arguments) {
    if (count < 2) return 2;
    std::vector<std::string> seeds;
    std::ifstream file{arguments[1]};
    for (std::string line; std::getline(file, line);) seeds.push_back(seed_of(line));
    if (seeds.empty()) {
        std::fprintf(stderr, "%s: no seeds\n", arguments[1]);
        return 1;
    }
    for (const std::string& s : seeds) run(s);
    const long runs = count > 2 ? std::atol(arguments[2]) : std::getenv("MQB_LONG") ? 2'000'000 : 100'000;
    mutator m{.seeds = seeds};
    for (long i = 0; i < runs; ++i) run(m.made());
    std::printf("%zu seeds, %ld mutations\n", seeds.size(), runs);
    return 0;
}
