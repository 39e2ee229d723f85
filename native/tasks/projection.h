// The part of a task that can matter for reaching the goal.
#pragma once

#include <optional>
#include <vector>

#include "tasks/fdr_task.h"

namespace bugsieve {

// The task without variables and operators that no plan needs: a variable matters if it is in
// the goal or in a condition of an operator that changes a variable that matters. Plans of the
// projected task are plans of the full one at the same cost, and the best ones stay.
struct Projection {
    FdrTask task;  // without names
    std::vector<std::size_t> variables;
    std::vector<std::int32_t> operators;  // ids in the full task

    std::vector<Value> project(StateView state) const;
};

// Nothing where every variable matters.
std::optional<Projection> project(const FdrTask& task);

}  // namespace bugsieve
