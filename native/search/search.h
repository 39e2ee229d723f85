// Searches for a plan from one state.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string_view>
#include <vector>

#include "basis/budget.h"
#include "search/search_task.h"

namespace bugsieve {

enum class Status { kSolved, kUnsolvable, kBound, kGaveUp, kExpansions, kTime, kMemory };

std::string_view status_name(Status status);

struct SearchResult {
    Status status = Status::kUnsolvable;
    std::vector<std::int32_t> plan;
    std::int64_t cost = 0;
    std::int64_t expanded = 0;
    std::int64_t evaluated = 0;
    std::int64_t evaluated_before_last_layer = 0;  // A*: when the largest f was first expanded
    std::int64_t generated = 0;
};

constexpr std::int64_t kNoBound = std::numeric_limits<std::int64_t>::max();

struct GreedyOptions {
    bool deferred = true;
    bool preferred = true;
};

// States met by a lookahead, each with a cheapest way to it within the depth.
struct Leaves {
    // The last step of a way, after the way that ends with step `previous`.
    struct Step {
        std::int32_t previous, op;
    };

    std::vector<Value> states;  // rows
    std::vector<std::int64_t> costs;
    std::vector<std::int32_t> last_steps;  // -1: the start itself
    std::vector<Step> steps;
    bool is_complete = true;  // no limit was hit

    std::vector<std::int32_t> path(std::size_t leaf) const;
};

// Everything reachable from the initial state, in breadth-first order; row i is state i.
struct ExactCosts {
    static constexpr std::int64_t kLost = -1;  // in the place of a cost: no plan exists

    Status status = Status::kSolved;    // else the limit that ended the exploration: no rows then
    std::size_t count = 0;              // of the states, or of those seen before the limit
    std::vector<Value> states;          // rows
    std::vector<std::int64_t> parents;  // by which state and operator it was first reached
    std::vector<std::int32_t> operators;
    std::vector<std::int64_t> costs;  // h*
    std::vector<std::int32_t>
        best_operators;  // the first step of a cheapest plan, if there is one
    std::vector<std::int64_t> best_successors;
};

// Is told of each state that a search expands, of the cost of the way to it, and can ask for that
// way.
using PathTo = std::function<std::vector<std::int32_t>()>;
using ExpansionWatcher = std::function<void(StateView, std::int64_t, const PathTo&)>;

// Only plans cheaper than `cost_bound` count.
SearchResult astar(const SearchTask& task, StateView state, std::string_view heuristic,
                   std::int64_t cost_bound, Budget& budget);
SearchResult greedy(const SearchTask& task, StateView state, std::string_view heuristic,
                    const GreedyOptions& options, std::int64_t cost_bound, Budget& budget,
                    const ExpansionWatcher* watcher = nullptr);
SearchResult enforced_hill_climbing(const SearchTask& task, StateView state, bool preferred,
                                    std::int64_t cost_bound, Budget& budget);
// A shortest way to a state of lower value, or to a goal; of several the one whose operators come
// first. kGaveUp if there is none.
SearchResult improving_path(const SearchTask& task, StateView state, std::string_view heuristic,
                            Budget& budget);
SearchResult lookahead(const SearchTask& task, StateView state, std::int64_t depth,
                       std::int64_t cost_bound, Budget& budget, Leaves& leaves);
// All states reachable from the initial state; a limit of N expansions is one of N states.
ExactCosts explore_exact_costs(const SearchTask& task, Budget& budget);

}  // namespace bugsieve
