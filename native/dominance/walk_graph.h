// The steps by which one factor moves alone, as a graph, and cheapest ways in it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "dominance/factors.h"

namespace bugsieve {

// The cost of a step by which a factor moves alone: the others go where its label applies, the
// label is applied, the others return.
struct TauStep {
    Distance cost = kFarAway;
    std::int32_t label = -1;
    std::int32_t stage = 0;  // the others walk by steps of lower stages
};

// By where the steps start; of several between two states only the cheapest.
struct WalkGraph {
    struct Edge {
        std::int32_t from, to;
        Distance cost;
        std::int32_t group;
    };
    std::vector<std::size_t> starts;
    std::vector<Edge> edges;

    WalkGraph(const Factor& factor, std::span<const TauStep> steps, bool backwards);
};

// Dijkstra's algorithm, with memory that is used again.
class CheapestWays {
  public:
    // Writes the costs of the cheapest ways from `start`; if wanted, the last edge of each.
    void find(const WalkGraph& graph, std::int32_t start, std::span<Distance> costs,
              std::vector<std::int32_t>* last_edges = nullptr);

  private:
    std::vector<std::pair<Distance, std::int32_t>> open_;
};

}  // namespace bugsieve
