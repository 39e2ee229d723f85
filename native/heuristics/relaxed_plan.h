// h^FF: a relaxed plan read off the h^add values.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "heuristics/evaluator.h"
#include "heuristics/exploration.h"
#include "heuristics/relaxation.h"
#include "heuristics/supporters.h"

namespace bugsieve {

class RelaxedPlan {
  public:
    RelaxedPlan(const FdrTask& task, const Relaxation& relaxation)
        : task_(task),
          relaxation_(relaxation),
          fact_marked_(static_cast<std::size_t>(relaxation.num_facts)),
          operator_marked_(task.num_operators()) {}

    // Cost of the relaxed plan, or kDeadEnd; value(fact) is the h^add value under the weights.
    template <class ValueOf>
    std::int32_t extract(const ValueOf& value) {
        if (++stamp_ == 0) {
            std::fill(fact_marked_.begin(), fact_marked_.end(), 0u);
            std::fill(operator_marked_.begin(), operator_marked_.end(), 0u);
            stamp_ = 1;
        }
        operators_.clear();
        open_.clear();
        for (const std::int32_t fact : relaxation_.goal) {
            if (value(fact) == kUnreachable) {
                operators_.clear();
                return kDeadEnd;
            }
            mark(fact, value);
        }
        std::int64_t cost = 0;
        while (!open_.empty()) {
            const std::int32_t fact = open_.back();
            open_.pop_back();
            const auto supporter =
                static_cast<std::size_t>(best_supporter(relaxation_, fact, value));
            for (const std::int32_t needed : relaxation_.preconditions[supporter])
                mark(needed, value);
            const std::int32_t op = relaxation_.operators[supporter];
            if (operator_marked_[static_cast<std::size_t>(op)] == stamp_) continue;
            operator_marked_[static_cast<std::size_t>(op)] = stamp_;
            operators_.push_back(op);
            cost += relaxation_.costs[supporter];
        }
        return static_cast<std::int32_t>(std::min<std::int64_t>(cost, kDeadEnd - 1));
    }

    // Appends the operators of the last plan that are applicable in `state`.
    void append_applicable(StateView state, Preferred& preferred) {
        std::sort(operators_.begin(), operators_.end());
        for (const std::int32_t op : operators_)
            if (task_.is_applicable(state, static_cast<std::size_t>(op)))
                preferred.operators.push_back(op);
        preferred.offsets.push_back(static_cast<std::int64_t>(preferred.operators.size()));
    }

  private:
    template <class ValueOf>
    void mark(std::int32_t fact, const ValueOf& value) {
        auto& marked = fact_marked_[static_cast<std::size_t>(fact)];
        if (marked == stamp_) return;
        marked = stamp_;
        if (value(fact) > 0) open_.push_back(fact);  // weights are positive: 0 means "true now"
    }

    const FdrTask& task_;
    const Relaxation& relaxation_;
    std::vector<std::uint32_t> fact_marked_;
    std::vector<std::uint32_t> operator_marked_;
    std::uint32_t stamp_ = 0;
    std::vector<std::int32_t> open_;
    std::vector<std::int32_t> operators_;
};

}  // namespace bugsieve
