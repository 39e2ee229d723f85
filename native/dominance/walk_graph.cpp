#include "dominance/walk_graph.h"

namespace bugsieve {

WalkGraph::WalkGraph(const Factor& factor, std::span<const TauStep> steps, bool backwards) {
    for (std::size_t g = 1; g < factor.groups.size(); ++g) {
        if (steps[g].cost >= kFarAway) continue;
        for (const FactorTransition& t : factor.groups[g]) {
            if (t.from == t.to) continue;
            const auto [from, to] = backwards ? std::pair(t.to, t.from) : std::pair(t.from, t.to);
            edges.push_back({from, to, steps[g].cost, static_cast<std::int32_t>(g)});
        }
    }
    std::ranges::sort(edges, {}, [](const Edge& edge) {
        return std::tuple(edge.from, edge.to, edge.cost, edge.group);
    });
    const auto same = [](const Edge& a, const Edge& b) {
        return a.from == b.from && a.to == b.to;
    };
    edges.erase(std::unique(edges.begin(), edges.end(), same), edges.end());
    starts.assign(factor.num_states() + 1, 0);
    for (const Edge& edge : edges) ++starts[static_cast<std::size_t>(edge.from) + 1];
    for (std::size_t x = 1; x < starts.size(); ++x) starts[x] += starts[x - 1];
}

void CheapestWays::find(const WalkGraph& graph, std::int32_t start, std::span<Distance> costs,
                        std::vector<std::int32_t>* last_edges) {
    std::ranges::fill(costs, kFarAway);
    costs[static_cast<std::size_t>(start)] = 0;
    open_.assign(1, {0, start});
    while (!open_.empty()) {
        std::ranges::pop_heap(open_, std::greater<>());
        const auto [cost, state] = open_.back();
        open_.pop_back();
        const auto from = static_cast<std::size_t>(state);
        if (cost != costs[from]) continue;
        for (std::size_t e = graph.starts[from]; e < graph.starts[from + 1]; ++e) {
            const WalkGraph::Edge& edge = graph.edges[e];
            const Distance through = std::min(cost + edge.cost, kFarAway);
            if (through >= costs[static_cast<std::size_t>(edge.to)]) continue;
            costs[static_cast<std::size_t>(edge.to)] = through;
            if (last_edges)
                (*last_edges)[static_cast<std::size_t>(edge.to)] = static_cast<std::int32_t>(e);
            open_.emplace_back(through, edge.to);
            std::ranges::push_heap(open_, std::greater<>());
        }
    }
}

}  // namespace bugsieve
