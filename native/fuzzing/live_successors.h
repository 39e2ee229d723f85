// The successors among which walks choose.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "basis/budget.h"
#include "heuristics/evaluator.h"
#include "search/search_task.h"

namespace bugsieve {

// Successors in rows, with the operators that lead there; those of state i are the rows from
// offsets[i] to offsets[i + 1], by ascending operator.
struct Successors {
    std::vector<Value> states;
    std::vector<std::int32_t> operators;
    std::vector<std::int64_t> offsets{0};
};

// The successors of the given rows, without those that the heuristic, if there is one, takes for
// dead ends. Covers as many rows as take about `max_rows` successors, but at least one.
Successors live_successors(const SearchTask& task, std::span<const Value> states,
                           Evaluator* heuristic, std::size_t max_rows, Interrupts& interrupts);

}  // namespace bugsieve
