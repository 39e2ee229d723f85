#include "search/search.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "bindings/arrays.h"

namespace bugsieve {

namespace {

using namespace nb::literals;

void check_heuristic(std::string_view name) {
    if (!is_heuristic(name))
        throw std::invalid_argument("unknown heuristic '" + std::string(name) + "'");
}

SearchOptions options_of(std::int64_t cost_bound, std::int64_t max_expansions, double max_seconds,
                         std::int64_t max_bytes) {
    return {cost_bound < 0 ? kNoBound : cost_bound, {max_expansions, max_seconds, max_bytes}};
}

// Searches in the part of the task that matters and names the plan's operators as in the full one.
template <class Search>
SearchResult search_reduced(const Task& task, const State& state, Search search) {
    const auto row = checked_row(task.full().fdr(), state);
    return without_gil([&](Interrupts& interrupts) {
        const Task::Reduced& reduced = task.reduced();
        if (!reduced.task) return search(task.full(), row, interrupts);
        SearchResult result = search(*reduced.task, reduced.projection.project(row), interrupts);
        for (std::int32_t& op : result.plan)
            op = reduced.projection.operators[static_cast<std::size_t>(op)];
        return result;
    });
}

SearchResult bound_astar(const Task& task, const State& state, std::string heuristic,
                         std::int64_t cost_bound, std::int64_t max_expansions, double max_seconds,
                         std::int64_t max_bytes) {
    check_heuristic(heuristic);
    const auto options = options_of(cost_bound, max_expansions, max_seconds, max_bytes);
    return search_reduced(task, state, [&](const SearchTask& t, StateView s, Interrupts& i) {
        return astar(t, s, heuristic, options, i);
    });
}

SearchResult bound_greedy(const Task& task, const State& state, std::string heuristic,
                          bool deferred, bool preferred, std::int64_t cost_bound,
                          std::int64_t max_expansions, double max_seconds,
                          std::int64_t max_bytes) {
    check_heuristic(heuristic);
    const auto options = options_of(cost_bound, max_expansions, max_seconds, max_bytes);
    return search_reduced(task, state, [&](const SearchTask& t, StateView s, Interrupts& i) {
        return greedy(t, s, heuristic, {deferred, preferred}, options, i);
    });
}

SearchResult bound_hill_climbing(const Task& task, const State& state, bool preferred,
                                 std::int64_t cost_bound, std::int64_t max_expansions,
                                 double max_seconds, std::int64_t max_bytes) {
    const auto options = options_of(cost_bound, max_expansions, max_seconds, max_bytes);
    return search_reduced(task, state, [&](const SearchTask& t, StateView s, Interrupts& i) {
        return enforced_hill_climbing(t, s, preferred, options, i);
    });
}

// Leaves with the width of their rows, which an empty task does not show.
struct BoundLeaves {
    Leaves leaves;
    std::size_t width;
};

std::pair<SearchResult, BoundLeaves> bound_lookahead(const Task& task, const State& state,
                                                     std::int64_t depth, std::int64_t cost_bound,
                                                     std::int64_t max_expansions,
                                                     double max_seconds, std::int64_t max_bytes) {
    if (depth < 0) throw std::invalid_argument("depth must not be negative");
    const auto row = checked_row(task.full().fdr(), state);
    const auto options = options_of(cost_bound, max_expansions, max_seconds, max_bytes);
    BoundLeaves bound{{}, task.full().fdr().num_variables()};
    SearchResult result = without_gil([&](Interrupts& interrupts) {
        return lookahead(task.full(), row, depth, options, interrupts, bound.leaves);
    });
    return {std::move(result), std::move(bound)};
}

auto bound_exact(const Task& task, std::int64_t max_states) {
    GoalDistances all = without_gil([&](Interrupts& interrupts) {
        return exact_goal_distances(task.full(), max_states, interrupts);
    });
    const std::size_t count = all.distances.size();
    return std::make_pair(
        to_array(std::move(all.states), {count, task.full().fdr().num_variables()}),
        to_array(std::move(all.distances)));
}

}  // namespace

void bind_search(nb::module_& m) {
    nb::class_<SearchResult>(m, "SearchResult")
        .def_prop_ro("status", [](const SearchResult& r) { return status_name(r.status); })
        .def_prop_ro("plan",
                     [](const SearchResult& r) -> nb::object {
                         if (r.status != Status::kSolved) return nb::none();
                         return nb::cast(r.plan);
                     })
        .def_prop_ro("cost",
                     [](const SearchResult& r) -> nb::object {
                         if (r.status != Status::kSolved) return nb::none();
                         return nb::cast(r.cost);
                     })
        .def_ro("expanded", &SearchResult::expanded)
        .def_ro("evaluated", &SearchResult::evaluated)
        .def_ro("generated", &SearchResult::generated);

    nb::class_<BoundLeaves>(m, "Leaves")
        .def_prop_ro(
            "states",
            [](const BoundLeaves& b) {
                return to_array(std::vector(b.leaves.states), {b.leaves.costs.size(), b.width});
            },
            nb::rv_policy::move)
        .def_prop_ro(
            "costs", [](const BoundLeaves& b) { return to_array(std::vector(b.leaves.costs)); },
            nb::rv_policy::move)
        .def(
            "path", [](const BoundLeaves& b, std::size_t leaf) { return b.leaves.paths.at(leaf); },
            "leaf"_a);

    m.def("astar", &bound_astar, "task"_a, "state"_a, "heuristic"_a = "lmcut", nb::kw_only(),
          "cost_bound"_a = -1, "max_expansions"_a = -1, "max_seconds"_a = -1.0,
          "max_bytes"_a = -1);
    m.def("greedy", &bound_greedy, "task"_a, "state"_a, "heuristic"_a = "hff", nb::kw_only(),
          "deferred"_a = true, "preferred"_a = true, "cost_bound"_a = -1, "max_expansions"_a = -1,
          "max_seconds"_a = -1.0, "max_bytes"_a = -1);
    m.def("enforced_hill_climbing", &bound_hill_climbing, "task"_a, "state"_a, nb::kw_only(),
          "preferred"_a = true, "cost_bound"_a = -1, "max_expansions"_a = -1,
          "max_seconds"_a = -1.0, "max_bytes"_a = -1);
    m.def("lookahead", &bound_lookahead, "task"_a, "state"_a, "depth"_a, nb::kw_only(),
          "cost_bound"_a = -1, "max_expansions"_a = -1, "max_seconds"_a = -1.0,
          "max_bytes"_a = -1);
    m.def("exact_goal_distances", &bound_exact, "task"_a, nb::kw_only(),
          "max_states"_a = 10'000'000);
}

}  // namespace bugsieve
