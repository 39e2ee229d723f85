#include "tasks/fdr_task.h"

namespace bugsieve {

namespace {

std::uint64_t mix(std::uint64_t x) {  // the finaliser of splitmix64
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

}  // namespace

std::uint64_t content_hash(StateView state) {
    std::uint64_t hash = mix(0x9e3779b97f4a7c15ULL + state.size());
    for (std::size_t i = 0; i < state.size(); i += 4) {
        std::uint64_t word = 0;
        for (std::size_t k = i; k < state.size() && k < i + 4; ++k)
            word |= static_cast<std::uint64_t>(state[k]) << (16 * (k - i));
        hash = mix(hash + 0x9e3779b97f4a7c15ULL + word) ^ (word * 0xd6e8feb86659fd93ULL);
    }
    return mix(hash);
}

}  // namespace bugsieve
