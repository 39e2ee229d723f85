// Makes a plan cheaper.
#pragma once

#include <cstdint>
#include <vector>

#include "basis/budget.h"
#include "search/search.h"
#include "search/search_task.h"

namespace bugsieve {

// Aras (Nakhost and Mueller 2010): action elimination and plan neighbourhood graph search in turn,
// after the plan has lost its loops.
//
// The neighbourhood is the states around the plan, breadth first from all of its states, operators
// in ascending order. When it has as many states as its limit allows, a cheapest way from start to
// goal is looked for in all transitions known so far. A cheaper plan gets its actions eliminated
// and a neighbourhood of its own, otherwise the limit doubles. States that were expanded for an
// earlier plan need no second expansion.
//
// Ends when the budget is spent, or when the neighbourhood has all that can be reached, and the
// plan is thus a cheapest one. What a spent budget leaves of a neighbourhood is still searched,
// but the actions of the plan found are not eliminated. More expansions would have found a plan
// that is at least as cheap, but perhaps another one, from which fewer actions can go. So more
// expansions never give a more expensive plan.
//
// The plan must lead from `state` to the goal. The status is always kSolved.
SearchResult improve_plan(const SearchTask& task, StateView state, std::vector<std::int32_t> plan,
                          Budget& budget);

}  // namespace bugsieve
