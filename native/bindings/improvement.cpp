#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bindings/arrays.h"
#include "search/plan_improvement.h"

namespace bugsieve {

namespace {

using namespace nb::literals;

// The plan in a vector of our own; refuses what does not lead from the state to the goal.
std::vector<std::int32_t> checked_plan(const FdrTask& task, std::vector<Value> state,
                                       const Operators& operators) {
    std::vector<std::int32_t> plan;
    for (std::size_t step = 0; step < rows_of(operators); ++step) {
        const std::int32_t op = operators(step);
        const auto which =
            "step " + std::to_string(step) + " of the plan, operator " + std::to_string(op) + ", ";
        if (op < 0 || static_cast<std::size_t>(op) >= task.num_operators())
            throw std::invalid_argument(which + "does not exist; the task has " +
                                        std::to_string(task.num_operators()) + " operators");
        if (!task.is_applicable(state, static_cast<std::size_t>(op)))
            throw std::invalid_argument(which + "is not applicable");
        std::vector<Value> after = state;
        task.for_each_assignment(
            state, static_cast<std::size_t>(op), [&](std::int32_t variable, std::int32_t value) {
                after[static_cast<std::size_t>(variable)] = static_cast<Value>(value);
            });
        state = std::move(after);
        plan.push_back(op);
    }
    if (!task.is_goal(state)) throw std::invalid_argument("the plan does not reach the goal");
    return plan;
}

// The plan in the part of the task that matters; operators outside it change nothing there.
std::vector<std::int32_t> reduced_plan(const Projection& projection,
                                       std::span<const std::int32_t> plan) {
    std::vector<std::int32_t> kept;
    const auto& operators = projection.operators;
    for (const std::int32_t op : plan) {
        const auto found = std::lower_bound(operators.begin(), operators.end(), op);
        if (found != operators.end() && *found == op)
            kept.push_back(static_cast<std::int32_t>(found - operators.begin()));
    }
    return kept;
}

SearchResult run_improvement(const Task& task, const State& state, const Operators& operators,
                             std::int64_t max_expansions, double max_seconds,
                             std::int64_t max_bytes) {
    const std::vector<Value> row = copied_row(task.full().fdr(), state);
    std::vector<std::int32_t> plan = checked_plan(task.full().fdr(), row, operators);
    return without_gil([&](Interrupts& interrupts) {
        Budget budget({max_expansions, max_seconds, max_bytes}, interrupts);
        const Task::Reduced& reduced = task.reduced();
        if (!reduced.task) return improve_plan(task.full(), row, std::move(plan), budget);
        SearchResult result = improve_plan(*reduced.task, reduced.projection.project(row),
                                           reduced_plan(reduced.projection, plan), budget);
        for (std::int32_t& op : result.plan)
            op = reduced.projection.operators[static_cast<std::size_t>(op)];
        return result;
    });
}

}  // namespace

void bind_improvement(nb::module_& m) {
    m.def("improve_plan", &run_improvement, "task"_a, "state"_a.noconvert(), "plan"_a.noconvert(),
          nb::kw_only(), "max_expansions"_a = -1, "max_seconds"_a = -1.0, "max_bytes"_a = -1);
}

}  // namespace bugsieve
