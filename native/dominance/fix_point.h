// The fix-point that makes dominance functions of factors: how much easier one state is than
// another, if the other factors may pay for it.
#pragma once

#include <cstdint>
#include <vector>

#include "dominance/factor_walks.h"
#include "dominance/factors.h"

namespace bugsieve {

constexpr Distance kNoBoundOf = -kFarAway;          // no bound between the two states
constexpr Distance kLeastFinite = -(kFarAway / 2);  // what is below counts as no bound

// One table a factor: entry (s, t) bounds h*(s) - h*(t) from below, as its part of a sum.
using DominanceTables = std::vector<Square<Distance>>;

// The tables that walks alone prove: from t one walks to s and goes on from there.
DominanceTables walk_bounds(const FactorWalks& walks, std::size_t factors);

struct FixPointCounts {
    std::int64_t truncated = 0;  // pairs whose value sank below the floor
    std::int64_t rounds = 0;
};

// The greatest solution. Throws WorkSpent; what it had so far is then of no use.
DominanceTables greatest_fix_point(const FactoredTask& task, const FactorWalks& walks,
                                   Distance floor, WorkMeter& meter, FixPointCounts& counts);

}  // namespace bugsieve
