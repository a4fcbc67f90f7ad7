#include "tests/shapes/queue_store.hpp"

namespace mqb::shapes {

verdict compare(const queue_store& source, const sink_store& sink) {
    verdict out;
    for (const item& i : source.items) out.missing += !sink.has({i.partition, i.number});
    out.repeated = sink.log.size() - sink.counts.size();
    std::map<identity, bool> seen;
    std::map<std::uint32_t, std::uint32_t> next;  // the number after the highest one so far
    for (const identity& id : sink.log) {
        if (!seen.emplace(id, true).second) continue;
        auto& after = next[id.first];
        out.out_of_order += id.second < after;
        if (id.second >= after) after = id.second + 1;
    }
    return out;
}

}  // namespace mqb::shapes
