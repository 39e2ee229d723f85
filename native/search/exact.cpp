#include <functional>
#include <queue>

#include "search/search.h"
#include "search/search_space.h"

namespace bugsieve {

namespace {

// Transitions in the order of their sources; those of state s begin at offsets[s].
struct Transitions {
    std::vector<std::size_t> offsets{0};
    std::vector<StateId> targets;
    std::vector<std::int32_t> operators;

    std::size_t bytes() const {
        return offsets.capacity() * sizeof(std::size_t) +
               targets.capacity() * (sizeof(StateId) + sizeof(std::int32_t));
    }
};

// Explores everything reachable, breadth first; the reason if the budget is spent before that.
// A state is one expansion, so a limit on expansions is one on states.
Spent explore(SearchSpace& space, Transitions& found, ExactCosts& result, Budget& budget) {
    for (StateId id = 0; id < space.size(); ++id) {
        // Sorting the transitions by their targets will take as much again.
        const Spent spent = budget.spent(static_cast<std::int64_t>(space.size()) - 1,
                                         space.bytes() + 2 * found.bytes());
        if (spent != Spent::kNothing) return spent;
        space.load(id);
        for (const std::int32_t op : space.applicable()) {
            const auto child = space.insert_child(id, op);
            found.targets.push_back(child.id);
            found.operators.push_back(op);
            if (!child.is_new) continue;
            result.parents.push_back(static_cast<std::int64_t>(id));
            result.operators.push_back(op);
        }
        found.offsets.push_back(found.targets.size());
    }
    return Spent::kNothing;
}

// The same transitions in the order of their targets, of each target in that of their sources.
struct Reversed {
    std::vector<std::size_t> offsets;
    std::vector<StateId> sources;
    std::vector<std::int32_t> operators;

    explicit Reversed(const Transitions& forward)
        : offsets(forward.offsets.size() + 1, 0),
          sources(forward.targets.size()),
          operators(forward.targets.size()) {
        for (const StateId target : forward.targets) ++offsets[target + 2];
        for (std::size_t i = 1; i < offsets.size(); ++i) offsets[i] += offsets[i - 1];
        for (StateId source = 0; source + 1 < forward.offsets.size(); ++source)
            for (std::size_t i = forward.offsets[source]; i < forward.offsets[source + 1]; ++i) {
                const std::size_t place = offsets[forward.targets[i] + 1]++;
                sources[place] = source;
                operators[place] = forward.operators[i];
            }
    }
};

// Dijkstra's algorithm backwards from all goal states. A state gets its step when the state after
// it is settled. So following the steps ends in a goal, also along operators that cost nothing.
Spent settle_costs(const FdrTask& task, SearchSpace& space, const Reversed& edges,
                   ExactCosts& result, Budget& budget) {
    const std::size_t count = space.size();
    result.costs.assign(count, ExactCosts::kLost);
    result.best_operators.assign(count, kNoOperator);
    result.best_successors.assign(count, -1);
    using Item = std::pair<std::int64_t, StateId>;
    std::priority_queue<Item, std::vector<Item>, std::greater<>> open;
    for (StateId id = 0; id < count; ++id) {
        if (!space.is_goal(id)) continue;
        result.costs[id] = 0;
        open.emplace(0, id);
    }
    while (!open.empty()) {
        if (budget.is_time_up()) return Spent::kTime;
        const auto [cost, id] = open.top();
        open.pop();
        if (cost != result.costs[id]) continue;
        for (std::size_t i = edges.offsets[id]; i < edges.offsets[id + 1]; ++i) {
            const StateId from = edges.sources[i];
            const std::int64_t through =
                cost + task.costs[static_cast<std::size_t>(edges.operators[i])];
            if (result.costs[from] != ExactCosts::kLost && through >= result.costs[from]) continue;
            result.costs[from] = through;
            result.best_operators[from] = edges.operators[i];
            result.best_successors[from] = static_cast<std::int64_t>(id);
            open.emplace(through, from);
        }
    }
    return Spent::kNothing;
}

}  // namespace

ExactCosts explore_exact_costs(const SearchTask& task, Budget& budget) {
    SearchSpace space(task);
    space.insert_start(task.fdr().initial_state);
    ExactCosts result;
    result.parents.push_back(-1);
    result.operators.push_back(kNoOperator);
    Transitions transitions;
    Spent spent = explore(space, transitions, result, budget);
    if (spent == Spent::kNothing)
        spent = settle_costs(task.fdr(), space, Reversed(transitions), result, budget);
    result.count = space.size();
    if (spent != Spent::kNothing) {
        ExactCosts cut;
        cut.status = status_of(spent);
        cut.count = space.size();
        return cut;
    }
    for (StateId id = 0; id < space.size(); ++id) space.append_row(id, result.states);
    return result;
}

}  // namespace bugsieve
