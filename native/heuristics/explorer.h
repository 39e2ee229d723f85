// Chooses between the two ways to explore the relaxation: lanes for batches, scalar for few
// states.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>

#include "basis/budget.h"
#include "heuristics/lane_exploration.h"
#include "heuristics/scalar_exploration.h"

namespace bugsieve {

class Explorer {
  public:
    static constexpr std::uint32_t kInfinity = ScalarExploration::kInfinity;

    Explorer(const Relaxation& relaxation, std::span<const std::int32_t> costs)
        : relaxation_(relaxation), costs_(costs) {}

    // Calls visit(row, value) for every state, in order; value(fact) is the fact's h^max or h^add.
    template <class Visit>
    void explore(std::span<const Value> states, std::size_t rows, Combine combine,
                 ScalarExploration::Extent extent, Interrupts& interrupts, Visit visit) {
        const std::size_t width = rows == 0 ? 0 : states.size() / rows;
        std::size_t row = 0;
        while (row < rows) {
            interrupts.check();
            const std::size_t left = rows - row;
            const std::size_t before = row;
            if (left >= kFewestLanes) {
                if (narrowest_ <= 2)
                    row += explore_lanes(lanes16_, states, width, row, rows, combine, visit);
                if (row == before && narrowest_ <= 4)
                    row += explore_lanes(lanes32_, states, width, row, rows, combine, visit);
                if (row == before)
                    row += explore_lanes(lanes64_, states, width, row, rows, combine, visit);
            } else {
                if (!scalar_) scalar_.emplace(relaxation_, costs_);
                scalar_->explore(states.subspan(row * width, width), combine, extent);
                visit(row, [&](std::int32_t fact) { return scalar_->value(fact); });
                ++row;
            }
        }
    }

  private:
    static constexpr std::size_t kFewestLanes = 4;

    // Returns how many states were explored: none if T is too narrow for their values.
    template <class T, class Visit>
    std::size_t explore_lanes(std::unique_ptr<LaneExploration<T>>& lanes,
                              std::span<const Value> states, std::size_t width, std::size_t row,
                              std::size_t rows, Combine combine, Visit& visit) {
        if (!lanes) lanes = std::make_unique<LaneExploration<T>>(relaxation_, costs_);
        const std::size_t count = std::min(rows - row, LaneExploration<T>::kLanes);
        if (!lanes->explore(states.subspan(row * width, count * width), width, combine)) {
            narrowest_ = 2 * sizeof(T);
            return 0;
        }
        for (std::size_t lane = 0; lane < count; ++lane)
            visit(row + lane, [&](std::int32_t fact) {
                const T value = lanes->value(fact, lane);
                if (value == LaneExploration<T>::kInfinity) return kInfinity;
                return static_cast<std::uint32_t>(
                    std::min<std::uint64_t>(value, ScalarExploration::kLargest));
            });
        return count;
    }

    const Relaxation& relaxation_;
    std::span<const std::int32_t> costs_;
    std::size_t narrowest_ = 2;  // bytes per lane that have sufficed so far
    std::unique_ptr<LaneExploration<std::uint16_t>> lanes16_;
    std::unique_ptr<LaneExploration<std::uint32_t>> lanes32_;
    std::unique_ptr<LaneExploration<std::uint64_t>> lanes64_;
    std::optional<ScalarExploration> scalar_;
};

}  // namespace bugsieve
