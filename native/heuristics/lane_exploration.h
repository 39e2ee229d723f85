// h^max and h^add values of all facts, for as many states at once as fit into a cache line.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "basis/budget.h"
#include "heuristics/exploration.h"
#include "heuristics/relaxation.h"

namespace bugsieve {

// Which instructions the sweeps run on, decided once when the library is loaded.
const char* lane_instructions();

// Each fact has one value of type T per lane, each lane is a state. The operators are applied to
// all lanes until nothing changes (Bellman-Ford on the relaxation), so that one pass over the
// operators serves all states.
template <class T>
class LaneExploration {
  public:
    static constexpr std::size_t kLanes = 64 / sizeof(T);
    static constexpr T kInfinity = std::numeric_limits<T>::max();

    LaneExploration(const Relaxation& relaxation, std::span<const std::int64_t> costs);

    // kTooNarrow: T cannot tell large values from infinity. kTooSlow: the operators are in a bad
    // order for these states, and exploring them one by one is better.
    enum class Outcome { kDone, kTooNarrow, kTooSlow };

    // Explores the given states (rows of `width` values, at most kLanes of them).
    Outcome explore(std::span<const Value> states, std::size_t width, Combine combine,
                    Interrupts& interrupts);

    std::uint64_t value(std::int32_t fact, std::size_t lane) const {
        const T found = values()[static_cast<std::size_t>(fact) * kLanes + lane];
        return found == kInfinity ? kUnreachable : found;
    }

  private:
    struct alignas(64) Line {
        T lane[kLanes];
    };
    const T* values() const { return values_.data()->lane; }
    T* values() { return values_.data()->lane; }

    void set_states(std::span<const Value> states, std::size_t width);
    bool sweep(Combine combine, Interrupts& interrupts);
    bool may_have_overflowed(Combine combine) const;

    const Relaxation& relaxation_;
    std::vector<T> costs_;
    T largest_cost_ = 0;
    bool costs_fit_ = true;
    std::vector<Line> values_;
    std::vector<std::uint32_t> changed_;  // per fact: when it last changed; 0: not reached
    std::vector<std::uint32_t> applied_;  // per operator: when it was last applied
};

extern template class LaneExploration<std::uint8_t>;
extern template class LaneExploration<std::uint16_t>;
extern template class LaneExploration<std::uint32_t>;
extern template class LaneExploration<std::uint64_t>;

}  // namespace bugsieve
