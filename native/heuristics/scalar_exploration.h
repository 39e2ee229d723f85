// h^max and h^add values of the facts for a single state, in order of rising value.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heuristics/exploration.h"
#include "heuristics/monotone_queue.h"
#include "heuristics/relaxation.h"

namespace bugsieve {

// Dijkstra's algorithm on the relaxation. The values are those of LaneExploration.
class ScalarExploration {
  public:
    ScalarExploration(const Relaxation& relaxation, std::span<const std::int64_t> costs);

    enum class Extent { kUntilGoal, kAllFacts };

    // With kUntilGoal, facts that cost more than the most expensive goal fact may stay at any
    // value above it.
    void explore(StateView state, Combine combine, Extent extent, Interrupts& interrupts);

    std::uint64_t value(std::int32_t fact) const {
        return values_[static_cast<std::size_t>(fact)];
    }

  private:
    template <Combine kCombine>
    void run(Extent extent, Interrupts& interrupts);
    void offer(std::int32_t op, std::uint64_t value);

    const Relaxation& relaxation_;
    std::vector<std::uint64_t> costs_;
    std::vector<std::uint64_t> values_;
    std::vector<std::uint64_t> op_values_;  // h^add: cost plus the preconditions reached so far
    std::vector<std::int32_t> missing_;
    std::vector<std::int32_t> all_missing_;
    std::vector<std::uint8_t> is_goal_;
    MonotoneQueue queue_;
};

}  // namespace bugsieve
