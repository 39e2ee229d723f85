// LM-cut (Helmert and Domshlak 2009): the costs of disjunctive landmarks, found one by one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "basis/budget.h"
#include "heuristics/evaluator.h"
#include "heuristics/exploration.h"
#include "heuristics/monotone_queue.h"
#include "heuristics/relaxation.h"

namespace bugsieve {

// Each operator is represented by its most expensive precondition, its supporter. The goal zone
// is what reaches the goal through operators of cost 0; the cut is the operators that lead into
// it from facts reachable outside it. All of it happens near the goal: a fact cheaper than the
// goal is reachable outside the zone (so are the facts on its cheapest derivation), and facts at
// least as expensive as the goal need no exact value, so nothing is propagated from them.
//
// An operator with conditional effects has several relaxed operators. They share one cost: what
// one of them pays, all of them have paid, so that no operator is counted beyond its cost.
class LandmarkCut {
  public:
    explicit LandmarkCut(const Relaxation& relaxation);

    // value(fact) is h^max of every fact.
    template <class ValueOf>
    std::int32_t evaluate(const ValueOf& value, Interrupts& interrupts) {
        for (std::int32_t fact = 0; fact < relaxation_.num_facts; ++fact)
            values_[static_cast<std::size_t>(fact)] = narrowed(value(fact));
        first_values_ = values_;
        return evaluate_values(interrupts);
    }

  private:
    static constexpr std::int32_t kAlwaysTrue = -1;
    static constexpr std::uint32_t kInfinite = std::numeric_limits<std::uint32_t>::max();
    static constexpr std::uint32_t kLargest = kInfinite - 1;

    // Any choice of supporters gives valid cuts, so values too large for 32 bits may be cut off.
    static std::uint32_t narrowed(std::uint64_t value) {
        if (value == kUnreachable) return kInfinite;
        return static_cast<std::uint32_t>(std::min<std::uint64_t>(value, kLargest));
    }

    std::int32_t evaluate_values(Interrupts& interrupts);
    void restore_costs();
    void start_round();
    std::int32_t most_expensive_goal() const;
    std::int32_t supporter(std::int32_t op) const;
    std::uint32_t operator_value(std::int32_t op) const;
    // Of two facts of equal value the one that fell less counts as more expensive: little of its
    // cost has been paid, so its zone is small and its cut shares few operators with earlier ones.
    bool is_cheaper(std::int32_t a, std::int32_t b) const {
        const auto i = static_cast<std::size_t>(a), k = static_cast<std::size_t>(b);
        return values_[i] != values_[k] ? values_[i] < values_[k]
                                        : first_values_[i] > first_values_[k];
    }
    bool in_zone(std::int32_t fact) const {
        return in_zone_[static_cast<std::size_t>(fact)] == round_;
    }
    void mark_zone(std::int32_t goal);
    void find_cut(std::uint32_t goal_value);
    bool is_reachable_outside_zone(std::int32_t fact, std::uint32_t goal_value);
    void lower_effects(std::int32_t op, std::uint32_t goal_value);
    std::uint32_t pay_for_cut(std::uint32_t goal_value);
    void charge(std::int32_t op, std::uint32_t price, std::uint32_t goal_value);

    const Relaxation& relaxation_;
    std::vector<std::uint32_t> values_;
    std::vector<std::uint32_t> first_values_;
    std::vector<std::uint32_t> costs_;       // what is left of each operator's cost
    Lists<std::int32_t> parts_;              // relaxed operators of each operator
    std::vector<std::uint32_t> charged_;     // round in which an operator last paid
    std::vector<std::int32_t> paid_;         // operators whose cost is no longer the full one
    std::vector<std::uint32_t> in_zone_;     // round in which a fact was last in the zone
    std::vector<std::uint32_t> considered_;  // round in which an operator was last considered
    std::vector<std::uint32_t> outside_;     // round in which a fact was last proved reachable
    std::vector<std::uint32_t> enclosed_;    // round in which a fact was last proved unreachable
    std::uint32_t round_ = 0;
    std::vector<std::int32_t> open_;
    std::vector<std::int32_t> candidates_;
    std::vector<std::int32_t> cut_;
    MonotoneQueue queue_;
};

}  // namespace bugsieve
