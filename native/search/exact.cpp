#include <algorithm>
#include <functional>
#include <queue>
#include <stdexcept>
#include <string>

#include "search/search.h"
#include "search/search_space.h"

namespace bugsieve {

namespace {

struct Edge {
    StateId from, to;
    std::int32_t cost;
};

constexpr std::int64_t kFar = kNoBound;

// Explores everything reachable; returns the transitions, sorted by where they lead.
std::vector<Edge> explore(const FdrTask& task, SearchSpace& space, std::int64_t max_states,
                          Interrupts& interrupts) {
    std::vector<Edge> edges;
    for (StateId id = 0; id < space.size(); ++id) {
        interrupts.check();
        if (max_states >= 0 && space.size() > static_cast<std::size_t>(max_states))
            throw std::length_error("more than " + std::to_string(max_states) + " states");
        space.load(id);
        for (const std::int32_t op : space.applicable())
            edges.push_back(
                {id, space.insert_child(id, op).id, task.costs[static_cast<std::size_t>(op)]});
    }
    std::sort(edges.begin(), edges.end(),
              [](const Edge& a, const Edge& b) { return a.to < b.to; });
    return edges;
}

// Dijkstra's algorithm backwards from all goal states.
std::vector<std::int64_t> distances_to_goal(SearchSpace& space, const std::vector<Edge>& edges,
                                            Interrupts& interrupts) {
    std::vector<std::size_t> first(space.size() + 1, 0);
    for (const Edge& edge : edges) ++first[edge.to + 1];
    for (std::size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
    std::vector<std::int64_t> distance(space.size(), kFar);
    using Item = std::pair<std::int64_t, StateId>;
    std::priority_queue<Item, std::vector<Item>, std::greater<>> open;
    for (StateId id = 0; id < space.size(); ++id) {
        space.load(id);
        if (!space.is_goal()) continue;
        distance[id] = 0;
        open.emplace(0, id);
    }
    while (!open.empty()) {
        interrupts.check();
        const auto [d, id] = open.top();
        open.pop();
        if (d != distance[id]) continue;
        for (std::size_t i = first[id]; i < first[id + 1]; ++i) {
            const std::int64_t through = d + edges[i].cost;
            if (through >= distance[edges[i].from]) continue;
            distance[edges[i].from] = through;
            open.emplace(through, edges[i].from);
        }
    }
    return distance;
}

}  // namespace

GoalDistances exact_goal_distances(const SearchTask& task, std::int64_t max_states,
                                   Interrupts& interrupts) {
    SearchSpace space(task);
    space.insert_start(task.fdr().initial_state);
    const auto edges = explore(task.fdr(), space, max_states, interrupts);
    GoalDistances result;
    for (const std::int64_t distance : distances_to_goal(space, edges, interrupts))
        result.distances.push_back(
            distance == kFar
                ? kDeadEnd
                : static_cast<std::int32_t>(std::min<std::int64_t>(distance, kDeadEnd - 1)));
    for (StateId id = 0; id < space.size(); ++id) space.append_row(id, result.states);
    return result;
}

}  // namespace bugsieve
