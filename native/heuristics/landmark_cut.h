// LM-cut (Helmert and Domshlak 2009): the costs of disjunctive landmarks, found one by one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "basis/budget.h"
#include "heuristics/evaluator.h"
#include "heuristics/exploration.h"
#include "heuristics/monotone_queue.h"
#include "heuristics/relaxation.h"

namespace bugsieve {

// The goal zone holds a goal fact, and of each operator of cost 0 that leads into it a
// precondition; so a plan must enter it by an operator with a cost. The cut is those of them that
// can be applied before: none of their preconditions is in the zone, or needs it.
//
// Any such zone gives a landmark. Ours has facts only that are at least as expensive as the goal.
// Where an operator leaves a choice among them, the zone takes the fact through which it grows
// least: the larger the zone, the more operators lead into it and pay without need.
//
// All of it happens near the goal: a fact cheaper than the goal is reachable outside the zone (so
// are the facts on its cheapest derivation). Of the others it does not matter by how much they are
// more expensive, so nothing is propagated to them.
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
        return evaluate_values(interrupts);
    }

  private:
    static constexpr std::int32_t kNoFact = -1;
    static constexpr std::uint32_t kInfinite = std::numeric_limits<std::uint32_t>::max();
    static constexpr std::uint32_t kLargest = kInfinite - 1;

    // Any zone gives valid cuts, so values too large for 32 bits may be cut off.
    static std::uint32_t narrowed(std::uint64_t value) {
        if (value == kUnreachable) return kInfinite;
        return static_cast<std::uint32_t>(std::min<std::uint64_t>(value, kLargest));
    }

    // The obstacles to applying an operator before the zone is entered.
    struct Needs {
        bool never;           // it is unreachable, or needs the zone
        std::int32_t dear;    // number of its preconditions that are as expensive as the goal
        std::int32_t a_dear;  // the last of them
    };

    std::int32_t evaluate_values(Interrupts& interrupts);
    std::uint32_t goal_value() const;
    void restore_costs();
    void start_round();
    Needs needs(std::int32_t op) const;
    std::span<const std::int32_t> preconditions(std::int32_t op) const {
        return relaxation_.preconditions[static_cast<std::size_t>(op)];
    }
    std::uint32_t value(std::int32_t fact) const {
        return values_[static_cast<std::size_t>(fact)];
    }
    bool is_free(std::int32_t op) const { return costs_[static_cast<std::size_t>(op)] == 0; }
    bool in_zone(std::int32_t fact) const {
        return in_zone_[static_cast<std::size_t>(fact)] == round_;
    }
    void mark_zone();
    void enter_zone(std::int32_t fact);
    void grow_zone();
    std::int32_t least_growth(std::span<const std::int32_t> facts) const;
    void find_cut();
    bool are_reachable_outside_zone(std::int32_t op);
    bool is_reachable_outside_zone(std::int32_t fact);
    std::uint32_t pay_for_cut();
    void charge(std::int32_t op, std::uint32_t price);
    void lower_effects(std::int32_t op);

    const Relaxation& relaxation_;
    std::vector<std::int32_t> goal_;     // last first, so that the first of equals is taken
    std::vector<std::uint32_t> values_;  // right below the goal's, else at least that
    std::uint32_t goal_value_ = 0;
    std::vector<std::uint32_t> costs_;       // the rest of each operator's cost
    Lists<std::int32_t> parts_;              // relaxed operators of each operator
    std::vector<std::uint32_t> charged_;     // round in which an operator last paid
    std::vector<std::int32_t> paid_;         // operators whose cost is no longer the full one
    std::vector<std::uint32_t> in_zone_;     // round in which a fact was last in the zone
    std::vector<std::uint32_t> considered_;  // round in which an operator was last considered
    std::vector<std::uint32_t> outside_;     // round in which a fact was last proved reachable
    std::vector<std::uint32_t> enclosed_;    // round in which a fact was last proved unreachable
    std::uint32_t round_ = 0;
    std::vector<std::int32_t> open_;
    std::vector<std::int32_t> undecided_;  // free operators that leave a choice
    std::vector<std::int32_t> candidates_;
    std::vector<std::int32_t> cut_;
    MonotoneQueue queue_;
};

}  // namespace bugsieve
