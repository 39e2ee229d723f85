#include "heuristics/scalar_exploration.h"

#include <algorithm>

namespace bugsieve {

namespace {

constexpr std::size_t kFactsBetweenLooks = 256;

std::uint64_t capped_sum(std::uint64_t a, std::uint64_t b) {
    return std::min(a + b, kLargestValue);  // both are at most kLargestValue
}

}  // namespace

ScalarExploration::ScalarExploration(const Relaxation& relaxation,
                                     std::span<const std::int64_t> costs)
    : relaxation_(relaxation),
      costs_(costs.begin(), costs.end()),
      values_(static_cast<std::size_t>(relaxation.num_facts)),
      op_values_(relaxation.num_operators()),
      missing_(relaxation.num_operators()),
      is_goal_(static_cast<std::size_t>(relaxation.num_facts)) {
    for (std::size_t op = 0; op < relaxation.num_operators(); ++op)
        all_missing_.push_back(static_cast<std::int32_t>(relaxation.preconditions[op].size()));
    for (const std::int32_t fact : relaxation.goal) is_goal_[static_cast<std::size_t>(fact)] = 1;
}

void ScalarExploration::explore(StateView state, Combine combine, Extent extent,
                                Interrupts& interrupts) {
    std::fill(values_.begin(), values_.end(), kUnreachable);
    if (combine == Combine::kSum) std::copy(costs_.begin(), costs_.end(), op_values_.begin());
    std::copy(all_missing_.begin(), all_missing_.end(), missing_.begin());
    queue_.clear();
    relaxation_.for_each_fact(state, [&](std::int32_t fact) {
        values_[static_cast<std::size_t>(fact)] = 0;
        queue_.push(0, fact);
    });
    for (const std::int32_t op : relaxation_.unconditional)
        offer(op, costs_[static_cast<std::size_t>(op)]);
    if (combine == Combine::kMax)
        run<Combine::kMax>(extent, interrupts);
    else
        run<Combine::kSum>(extent, interrupts);
}

void ScalarExploration::offer(std::int32_t op, std::uint64_t value) {
    for (const std::int32_t effect : relaxation_.effects[static_cast<std::size_t>(op)]) {
        std::uint64_t& known = values_[static_cast<std::size_t>(effect)];
        if (value < known) {
            known = value;
            queue_.push(value, effect);
        }
    }
}

template <Combine kCombine>
void ScalarExploration::run(Extent extent, Interrupts& interrupts) {
    std::size_t goals_left = extent == Extent::kUntilGoal ? relaxation_.goal.size() : SIZE_MAX;
    for (std::size_t taken = 1; !queue_.empty(); ++taken) {
        if (taken % kFactsBetweenLooks == 0) interrupts.check();
        const auto [value, fact] = queue_.pop();
        if (values_[static_cast<std::size_t>(fact)] != value) continue;
        if (is_goal_[static_cast<std::size_t>(fact)] != 0 && --goals_left == 0) return;
        for (const std::int32_t op : relaxation_.needed_by[static_cast<std::size_t>(fact)]) {
            const auto o = static_cast<std::size_t>(op);
            if constexpr (kCombine == Combine::kSum)
                op_values_[o] = capped_sum(op_values_[o], value);
            if (--missing_[o] == 0) {
                if constexpr (kCombine == Combine::kMax)  // facts come in order of value
                    offer(op, capped_sum(value, costs_[o]));
                else
                    offer(op, op_values_[o]);
            }
        }
    }
}

}  // namespace bugsieve
