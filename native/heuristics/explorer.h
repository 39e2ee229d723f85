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
    Explorer(const Relaxation& relaxation, std::span<const std::int64_t> costs)
        : relaxation_(relaxation), costs_(costs) {}

    // Calls visit(row, value) for every state, in order; value(fact) is the fact's h^max or h^add,
    // or kUnreachable.
    template <class Visit>
    void explore(std::span<const Value> states, std::size_t rows, Combine combine,
                 ScalarExploration::Extent extent, Interrupts& interrupts, Visit visit) {
        const std::size_t width = rows == 0 ? 0 : states.size() / rows;
        for (std::size_t row = 0; row < rows;) {
            interrupts.check();
            const auto rest = states.subspan(row * width);
            std::size_t done = 0;
            if (rows - row >= kFewestLanes && lanes_pay_off_) {
                const auto in_lanes = [&](auto& lanes) {
                    return explore_lanes(lanes, rest, width, row, rows, combine, interrupts,
                                         visit);
                };
                if (bytes_per_lane_ == 1) done = in_lanes(lanes8_);
                if (done == 0 && bytes_per_lane_ == 2) done = in_lanes(lanes16_);
                if (done == 0 && bytes_per_lane_ == 4) done = in_lanes(lanes32_);
                if (done == 0 && bytes_per_lane_ == 8) done = in_lanes(lanes64_);
            }
            if (done == 0) {
                if (!scalar_) scalar_.emplace(relaxation_, costs_);
                scalar_->explore(rest.first(width), combine, extent, interrupts);
                visit(row, [&](std::int32_t fact) { return scalar_->value(fact); });
                done = 1;
            }
            row += done;
        }
    }

  private:
    static constexpr std::size_t kFewestLanes = 4;

    // Returns how many states were explored: none if lanes of T do not suit them.
    template <class T, class Visit>
    std::size_t explore_lanes(std::unique_ptr<LaneExploration<T>>& lanes,
                              std::span<const Value> states, std::size_t width, std::size_t row,
                              std::size_t rows, Combine combine, Interrupts& interrupts,
                              Visit& visit) {
        using Outcome = typename LaneExploration<T>::Outcome;
        if (!lanes) lanes = std::make_unique<LaneExploration<T>>(relaxation_, costs_);
        const std::size_t count = std::min(rows - row, LaneExploration<T>::kLanes);
        const Outcome outcome =
            lanes->explore(states.first(count * width), width, combine, interrupts);
        if (outcome == Outcome::kTooNarrow) bytes_per_lane_ = 2 * sizeof(T);
        if (outcome == Outcome::kTooSlow) lanes_pay_off_ = false;
        if (outcome != Outcome::kDone) return 0;
        for (std::size_t lane = 0; lane < count; ++lane) {
            interrupts.check();
            visit(row + lane, [&](std::int32_t fact) { return lanes->value(fact, lane); });
        }
        return count;
    }

    const Relaxation& relaxation_;
    std::span<const std::int64_t> costs_;
    std::size_t bytes_per_lane_ = 1;  // the size that has sufficed so far
    bool lanes_pay_off_ = true;
    std::unique_ptr<LaneExploration<std::uint8_t>> lanes8_;
    std::unique_ptr<LaneExploration<std::uint16_t>> lanes16_;
    std::unique_ptr<LaneExploration<std::uint32_t>> lanes32_;
    std::unique_ptr<LaneExploration<std::uint64_t>> lanes64_;
    std::optional<ScalarExploration> scalar_;
};

}  // namespace bugsieve
