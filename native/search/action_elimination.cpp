#include "search/action_elimination.h"

#include <span>

namespace bugsieve {

namespace {

class Elimination {
  public:
    Elimination(const FdrTask& task, StateView start)
        : task_(task), before_(start.begin(), start.end()) {}

    std::vector<std::int32_t> run(std::vector<std::int32_t> plan, Budget& budget) {
        std::size_t at = 0;
        while (at < plan.size() && !budget.is_time_up()) {
            const auto rest = std::span<const std::int32_t>(plan).subspan(at + 1);
            if (can_do_with(rest)) {
                plan.resize(at);
                plan.insert(plan.end(), kept_.begin(), kept_.end());
            } else {
                apply(before_, plan[at++]);
            }
        }
        return plan;
    }

  private:
    // Returns true if what can be applied of `rest` leads from before_ to the goal; then it is in
    // kept_.
    bool can_do_with(std::span<const std::int32_t> rest) {
        kept_.clear();
        state_ = before_;
        if (task_.is_goal(state_)) return true;
        for (const std::int32_t op : rest) {
            if (!task_.is_applicable(state_, static_cast<std::size_t>(op))) continue;
            apply(state_, op);
            kept_.push_back(op);
            if (task_.is_goal(state_)) return true;
        }
        return false;
    }

    void apply(std::vector<Value>& state, std::int32_t op) {
        after_ = state;  // conditions are about the state before
        task_.for_each_assignment(
            state, static_cast<std::size_t>(op), [&](std::int32_t variable, std::int32_t value) {
                after_[static_cast<std::size_t>(variable)] = static_cast<Value>(value);
            });
        state.swap(after_);
    }

    const FdrTask& task_;
    std::vector<Value> before_;  // the action that is tried
    std::vector<Value> state_, after_;
    std::vector<std::int32_t> kept_;
};

}  // namespace

std::vector<std::int32_t> eliminate_actions(const FdrTask& task, StateView start,
                                            std::vector<std::int32_t> plan, Budget& budget) {
    return Elimination(task, start).run(std::move(plan), budget);
}

}  // namespace bugsieve
