// The choice of operators for the relaxed plans of h^FF.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>

#include "heuristics/exploration.h"
#include "heuristics/relaxation.h"

namespace bugsieve {

// Returns true if the relaxed operator gives its effects the h^add value `wanted` under the
// weights.
template <class ValueOf>
bool attains(const Relaxation& relaxation, std::int32_t op, std::uint64_t wanted,
             const ValueOf& value) {
    auto sum = static_cast<std::uint64_t>(relaxation.weights[static_cast<std::size_t>(op)]);
    for (const std::int32_t needed : relaxation.preconditions[static_cast<std::size_t>(op)]) {
        const std::uint64_t term = value(needed);
        if (term == kUnreachable) return false;
        sum = std::min(sum + term, kLargestValue);
        if (sum > wanted) return false;
    }
    return sum == wanted;
}

// The best supporter of a fact is, among the relaxed operators that attain its h^add value, the
// one of the lowest operator id. The choice depends on the values alone, not on how they were
// computed, so every batch size gives the same plan. The fact must be reachable and false.
template <class ValueOf>
std::int32_t best_supporter(const Relaxation& relaxation, std::int32_t fact,
                            const ValueOf& value) {
    const std::uint64_t wanted = value(fact);
    for (const std::int32_t op : relaxation.achievers[static_cast<std::size_t>(fact)])
        if (attains(relaxation, op, wanted, value)) return op;
    throw std::logic_error("a reachable fact has no supporter");
}

}  // namespace bugsieve
