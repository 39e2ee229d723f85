// A dominance function of a task for Python: states and operators are those of the full task.
#pragma once

#include <utility>
#include <vector>

#include "bindings/arrays.h"
#include "dominance/function.h"
#include "search/search_task.h"

namespace bugsieve {

// Computed on the part of the task that matters: what differs elsewhere only is equal.
class BoundDominance {
  public:
    BoundDominance(const Task& task, DominanceFunction function)
        : task_(task), function_(std::move(function)) {
        if (!reduced().task) return;
        operators_.assign(task.full().fdr().num_operators(), -1);
        const auto& kept = reduced().projection.operators;
        for (std::size_t i = 0; i < kept.size(); ++i)
            operators_[static_cast<std::size_t>(kept[i])] = static_cast<std::int32_t>(i);
    }

    const DominanceFunction& function() const { return function_; }
    const Task& whole() const { return task_; }
    const FdrTask& task() const { return search_task().fdr(); }
    const SearchTask& search_task() const {
        return reduced().task ? *reduced().task : task_.full();
    }

    std::size_t full_variable(std::int32_t variable) const {
        const auto v = static_cast<std::size_t>(variable);
        return reduced().task ? reduced().projection.variables[v] : v;
    }
    // -1: an operator that no plan needs.
    std::int32_t reduced_operator(std::int32_t op) const {
        if (op < 0 || static_cast<std::size_t>(op) >= task_.full().fdr().num_operators())
            throw std::invalid_argument("there is no operator " + std::to_string(op));
        return reduced().task ? operators_[static_cast<std::size_t>(op)] : op;
    }
    std::int32_t full_operator(std::int32_t op) const {
        return reduced().task ? reduced().projection.operators[static_cast<std::size_t>(op)] : op;
    }
    std::vector<Value> projected(StateView row) const {
        if (!reduced().task) return {row.begin(), row.end()};
        return reduced().projection.project(row);
    }
    std::vector<Value> projected(const State& state) const {
        return projected(copied_row(task_.full().fdr(), state));
    }

    struct Located {
        std::vector<Value> rows;           // projected
        std::vector<std::int32_t> places;  // by state and factor
    };
    Located places(const States& states) const {
        const std::vector<Value> rows = copied_rows(task_.full().fdr(), states);
        const std::size_t width = task_.full().fdr().num_variables();
        Located located;
        located.places.resize(rows_of(states) * function_.num_factors());
        for (std::size_t i = 0; i < rows_of(states); ++i) {
            const auto row = projected(std::span(rows).subspan(i * width, width));
            function_.factored().locate(
                row, std::span(located.places)
                         .subspan(i * function_.num_factors(), function_.num_factors()));
            located.rows.insert(located.rows.end(), row.begin(), row.end());
        }
        return located;
    }
    StateView row(const Located& located, std::size_t i) const {
        const std::size_t width = task().num_variables();
        return std::span(located.rows).subspan(i * width, width);
    }

  private:
    const Task::Reduced& reduced() const { return task_.reduced(); }

    const Task& task_;
    DominanceFunction function_;
    std::vector<std::int32_t> operators_;  // of the reduced task, by those of the full one
};

}  // namespace bugsieve
