#include <optional>
#include <string_view>

#include "search/search.h"
#include "search/search_space.h"

namespace bugsieve {

namespace {

// Breadth-first search from the current state to one of lower value, again and again. With
// `preferred`, only preferred operators are followed, which needs h^FF.
class HillClimber {
  public:
    HillClimber(const SearchTask& task, std::string_view heuristic, bool preferred,
                std::int64_t cost_bound, Budget& budget)
        : task_(task),
          evaluator_(task.evaluator(heuristic, budget.interrupts())),
          preferred_(preferred),
          bound_(cost_bound),
          budget_(budget) {}

    // To a goal, or with `once` to the first state that is better than the start.
    SearchResult run(StateView start, bool once) {
        current_.assign(start.begin(), start.end());
        if (bound_ <= 0) {
            result_.status = Status::kBound;
            return std::move(result_);
        }
        std::int32_t h = value_of_current();
        if (h == kDeadEnd) return std::move(result_);  // unsolvable
        result_.status = Status::kGaveUp;
        while (!task_.fdr().is_goal(current_)) {
            const std::optional<std::int32_t> better = climb(h);
            if (!better) return std::move(result_);
            h = *better;
            if (once) break;
        }
        set_solved(result_, task_.fdr(), std::move(plan_));
        return std::move(result_);
    }

  private:
    std::int32_t value_of_current() {
        std::int32_t value = 0;
        evaluator_->evaluate(current_, std::span(&value, 1), budget_.interrupts());
        ++result_.evaluated;
        return value;
    }

    // Moves to a state below `h` and returns its value; a goal counts as below.
    std::optional<std::int32_t> climb(std::int32_t h) {
        SearchSpace space(task_);
        const StateId root = space.insert_start(current_);
        space.node(root).cost = cost_;
        for (StateId id = 0; id < space.size(); ++id) {
            if (stops_for(budget_.spent(result_.expanded, space.bytes()))) return std::nullopt;
            if (space.node(id).h == kDeadEnd) continue;
            const StateId found = expand(space, id, h);
            if (result_.status != Status::kGaveUp) return std::nullopt;
            if (found != kNoState) {
                const auto way = space.path(found);
                plan_.insert(plan_.end(), way.begin(), way.end());
                cost_ = space.node(found).cost;
                space.load(found);
                current_.assign(space.state().begin(), space.state().end());
                return space.node(found).h;
            }
        }
        return std::nullopt;
    }

    bool stops_for(Spent spent) {
        if (spent == Spent::kNothing) return false;
        result_.status = status_of(spent);
        return true;
    }

    // Returns the first child better than `h`, or kNoState.
    StateId expand(SearchSpace& space, StateId id, std::int32_t h) {
        ++result_.expanded;
        space.load(id);
        for (const std::int32_t op : operators_to_follow(space)) {
            ++result_.generated;
            const std::int64_t cost =
                space.node(id).cost + task_.fdr().costs[static_cast<std::size_t>(op)];
            if (cost >= bound_) continue;
            const auto [child, is_new] = space.insert_child(id, op);
            if (!is_new) continue;
            space.node(child) = {cost, id, op, Node::kNotEvaluated};
            pending_.add(space, child);
        }
        StateId found = kNoState;
        stops_for(pending_.evaluate(*evaluator_, space, budget_, result_, nullptr,
                                    [&](StateId child, std::size_t) {
                                        if (found == kNoState && is_better(space, child, h))
                                            found = child;
                                    }));
        return found;
    }

    // Where operators are free of cost, h can be 0 before the goal is reached.
    static bool is_better(SearchSpace& space, StateId child, std::int32_t h) {
        if (space.node(child).h < h) return true;
        if (space.node(child).h > 0) return false;
        space.load(child);
        return space.is_goal();
    }

    std::span<const std::int32_t> operators_to_follow(SearchSpace& space) {
        if (!preferred_) return space.applicable();
        Preferred found;
        std::int32_t value = 0;
        evaluator_->evaluate(space.state(), std::span(&value, 1), budget_.interrupts(), &found);
        helpful_ = std::move(found.operators);
        return helpful_;
    }

    const SearchTask& task_;
    std::unique_ptr<Evaluator> evaluator_;
    bool preferred_;
    std::int64_t bound_;
    Budget& budget_;
    PendingStates pending_;
    std::vector<Value> current_;
    std::vector<std::int32_t> plan_;
    std::vector<std::int32_t> helpful_;
    std::int64_t cost_ = 0;
    SearchResult result_;
};

}  // namespace

SearchResult enforced_hill_climbing(const SearchTask& task, StateView state, bool preferred,
                                    std::int64_t cost_bound, Budget& budget) {
    return HillClimber(task, "hff", preferred, cost_bound, budget).run(state, false);
}

SearchResult improving_path(const SearchTask& task, StateView state, std::string_view heuristic,
                            Budget& budget) {
    return HillClimber(task, heuristic, false, kNoBound, budget).run(state, true);
}

}  // namespace bugsieve
