// h^FF: a relaxed plan read off the h^add values.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "heuristics/evaluator.h"
#include "heuristics/exploration.h"
#include "heuristics/relaxation.h"

namespace bugsieve {

// The best supporter of a fact is, among the relaxed operators that attain its h^add value, the
// one of the lowest operator id. The choice depends on the values alone, not on how they were
// computed, so every batch size gives the same plan.
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
            const auto supporter = static_cast<std::size_t>(best_supporter(fact, value));
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

    template <class ValueOf>
    std::int32_t best_supporter(std::int32_t fact, const ValueOf& value) const {
        const std::uint64_t wanted = value(fact);
        for (const std::int32_t op : relaxation_.achievers[static_cast<std::size_t>(fact)])
            if (attains(op, wanted, value)) return op;
        throw std::logic_error("a reachable fact has no supporter");
    }

    template <class ValueOf>
    bool attains(std::int32_t op, std::uint64_t wanted, const ValueOf& value) const {
        auto sum = static_cast<std::uint64_t>(relaxation_.weights[static_cast<std::size_t>(op)]);
        for (const std::int32_t needed : relaxation_.preconditions[static_cast<std::size_t>(op)]) {
            const std::uint64_t term = value(needed);
            if (term == kUnreachable) return false;
            sum = std::min(sum + term, kLargestValue);
            if (sum > wanted) return false;
        }
        return sum == wanted;
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
