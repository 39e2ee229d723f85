#include <functional>
#include <queue>
#include <stdexcept>

#include "search/search.h"
#include "search/search_space.h"

namespace bugsieve {

namespace {

struct Edge {
    StateId from, to;
    std::int32_t cost;
};

}  // namespace

std::string_view status_name(Status status) {
    switch (status) {
        case Status::kSolved:
            return "solved";
        case Status::kUnsolvable:
            return "unsolvable";
        case Status::kBound:
            return "bound";
        case Status::kGaveUp:
            return "gave-up";
        case Status::kExpansions:
            return "expansions";
        case Status::kTime:
            return "time";
        case Status::kMemory:
            return "memory";
    }
    return "";
}

GoalDistances exact_goal_distances(const SearchTask& task, std::int64_t max_states,
                                   Interrupts& interrupts) {
    SearchSpace space(task);
    space.insert_start(task.fdr().initial_state);
    std::vector<Edge> edges;
    std::vector<std::int64_t> distance;
    using Item = std::pair<std::int64_t, StateId>;
    std::priority_queue<Item, std::vector<Item>, std::greater<>> open;
    constexpr std::int64_t kFar = kNoBound;
    for (StateId id = 0; id < space.size(); ++id) {
        interrupts.check();
        if (max_states >= 0 && space.size() > static_cast<std::size_t>(max_states))
            throw std::length_error("more than " + std::to_string(max_states) + " states");
        space.load(id);
        const bool is_goal = space.is_goal();
        distance.push_back(is_goal ? 0 : kFar);
        if (is_goal) open.emplace(0, id);
        for (const std::int32_t op : space.applicable())
            edges.push_back({id, space.insert_child(id, op).id,
                             task.fdr().costs[static_cast<std::size_t>(op)]});
    }
    std::sort(edges.begin(), edges.end(),
              [](const Edge& a, const Edge& b) { return a.to < b.to; });
    std::vector<std::size_t> first(space.size() + 1, 0);
    for (const Edge& edge : edges) ++first[edge.to + 1];
    for (std::size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
    while (!open.empty()) {
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
    GoalDistances result;
    for (StateId id = 0; id < space.size(); ++id) {
        space.append_row(id, result.states);
        result.distances.push_back(
            distance[id] == kFar
                ? kDeadEnd
                : static_cast<std::int32_t>(std::min<std::int64_t>(distance[id], kDeadEnd - 1)));
    }
    return result;
}

}  // namespace bugsieve
