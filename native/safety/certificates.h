// Proofs of verdicts, read off the values that a decider left behind.
#pragma once

#include <cstdint>
#include <vector>

#include "safety/meter.h"
#include "safety/values.h"

namespace bugsieve {

// A policy that is safe from the first state on: it leads to states of the table, to goals and to
// states without actions only. `divergences` bounds how often it differs from the policy under
// test from there on; 0 throughout if the radius is infinite.
struct AlternativePolicy {
    std::vector<StateId> states;
    std::vector<std::int32_t> actions;
    std::vector<std::int32_t> divergences;
};

// Pairs of a state and a budget from which danger cannot be avoided; the start is the first. Every
// action that the budget allows has an outcome that is dangerous, or listed at a lower rank with
// the budget that is left. Ranks start at 1.
struct LosingRanking {
    std::vector<StateId> states;
    std::vector<std::int32_t> budgets;
    std::vector<std::int32_t> ranks;
};

// The start must have been found safe. Empty if it is a goal or has no actions.
AlternativePolicy alternative_policy(Values& values, StateId start, Meter& meter);

// The start must have been found lost. Empty if it is dangerous itself.
LosingRanking losing_ranking(Values& values, StateId start, Meter& meter);

}  // namespace bugsieve
