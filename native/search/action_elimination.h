// Plans without the actions they can do without.
#pragma once

#include <cstdint>
#include <vector>

#include "basis/budget.h"
#include "tasks/fdr_task.h"

namespace bugsieve {

// Action elimination (Nakhost and Mueller 2010): tries to leave out each action of the plan in
// turn, together with the later actions that then cannot be applied. It does so where the rest
// still meets the goal; the plan then ends where it first does. The plan must lead from `start` to
// the goal, and never becomes more expensive. When the time is up, the rest of it stays as it is.
std::vector<std::int32_t> eliminate_actions(const FdrTask& task, StateView start,
                                            std::vector<std::int32_t> plan, Budget& budget);

}  // namespace bugsieve
