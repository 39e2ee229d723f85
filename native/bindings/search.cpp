#include "search/search.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "bindings/arrays.h"

namespace bugsieve {

namespace {

using namespace nb::literals;

std::int64_t bound_of(std::int64_t cost_bound) { return cost_bound < 0 ? kNoBound : cost_bound; }

// Searches in the part of the task that matters and names the plan's operators as in the full one.
template <class Search>
SearchResult search_reduced(const Task& task, const State& state, const Limits& limits,
                            Search search) {
    const std::vector<Value> row = copied_row(task.full().fdr(), state);
    return without_gil([&](Interrupts& interrupts) {
        Budget budget(limits, interrupts);
        const Task::Reduced& reduced = task.reduced();
        if (!reduced.task) return search(task.full(), row, budget);
        SearchResult result = search(*reduced.task, reduced.projection.project(row), budget);
        for (std::int32_t& op : result.plan)
            op = reduced.projection.operators[static_cast<std::size_t>(op)];
        return result;
    });
}

SearchResult run_astar(const Task& task, const State& state, std::string heuristic,
                       std::int64_t cost_bound, std::int64_t max_expansions, double max_seconds,
                       std::int64_t max_bytes) {
    check_heuristic(heuristic);
    return search_reduced(task, state, {max_expansions, max_seconds, max_bytes},
                          [&](const SearchTask& t, StateView s, Budget& budget) {
                              return astar(t, s, heuristic, bound_of(cost_bound), budget);
                          });
}

SearchResult run_greedy(const Task& task, const State& state, std::string heuristic, bool deferred,
                        bool preferred, std::int64_t cost_bound, std::int64_t max_expansions,
                        double max_seconds, std::int64_t max_bytes) {
    check_heuristic(heuristic);
    return search_reduced(task, state, {max_expansions, max_seconds, max_bytes},
                          [&](const SearchTask& t, StateView s, Budget& budget) {
                              return greedy(t, s, heuristic, {deferred, preferred},
                                            bound_of(cost_bound), budget);
                          });
}

SearchResult run_hill_climbing(const Task& task, const State& state, bool preferred,
                               std::int64_t cost_bound, std::int64_t max_expansions,
                               double max_seconds, std::int64_t max_bytes) {
    return search_reduced(task, state, {max_expansions, max_seconds, max_bytes},
                          [&](const SearchTask& t, StateView s, Budget& budget) {
                              return enforced_hill_climbing(t, s, preferred, bound_of(cost_bound),
                                                            budget);
                          });
}

SearchResult run_improving_path(const Task& task, const State& state, std::string heuristic,
                                std::int64_t max_expansions, double max_seconds,
                                std::int64_t max_bytes) {
    check_heuristic(heuristic);
    return search_reduced(task, state, {max_expansions, max_seconds, max_bytes},
                          [&](const SearchTask& t, StateView s, Budget& budget) {
                              return improving_path(t, s, heuristic, budget);
                          });
}

// Leaves with the width of their rows, which an empty task does not show.
struct LeafRows {
    Leaves leaves;
    std::size_t width;

    std::vector<std::int32_t> path(std::int64_t leaf) const {
        const std::size_t count = leaves.costs.size();
        if (leaf < 0 || static_cast<std::size_t>(leaf) >= count)
            throw std::out_of_range("there is no leaf " + std::to_string(leaf) +
                                    "; the lookahead has " + std::to_string(count));
        return leaves.path(static_cast<std::size_t>(leaf));
    }
};

std::pair<SearchResult, LeafRows> run_lookahead(const Task& task, const State& state,
                                                std::int64_t depth, std::int64_t cost_bound,
                                                std::int64_t max_expansions, double max_seconds,
                                                std::int64_t max_bytes) {
    if (depth < 0) throw std::invalid_argument("depth must not be negative");
    const std::vector<Value> row = copied_row(task.full().fdr(), state);
    LeafRows rows{{}, task.full().fdr().num_variables()};
    SearchResult result = without_gil([&](Interrupts& interrupts) {
        Budget budget({max_expansions, max_seconds, max_bytes}, interrupts);
        return lookahead(task.full(), row, depth, bound_of(cost_bound), budget, rows.leaves);
    });
    return {std::move(result), std::move(rows)};
}

struct SpaceRows {
    ExactCosts space;
    std::size_t width;  // variables of a state
};

SpaceRows run_exploration(const Task& task, std::int64_t max_states, double max_seconds,
                          std::int64_t max_bytes) {
    ExactCosts space = without_gil([&](Interrupts& interrupts) {
        Budget budget({max_states, max_seconds, max_bytes}, interrupts);
        return explore_exact_costs(task.full(), budget);
    });
    return {std::move(space), task.full().fdr().num_variables()};
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
        .def_ro("evaluated_before_last_layer", &SearchResult::evaluated_before_last_layer)
        .def_ro("generated", &SearchResult::generated);

    nb::class_<LeafRows>(m, "Leaves")
        .def_prop_ro(
            "states",
            [](const LeafRows& b) {
                return to_array(std::vector(b.leaves.states), {b.leaves.costs.size(), b.width});
            },
            nb::rv_policy::move)
        .def_prop_ro(
            "costs", [](const LeafRows& b) { return to_array(std::vector(b.leaves.costs)); },
            nb::rv_policy::move)
        .def_prop_ro("is_complete", [](const LeafRows& b) { return b.leaves.is_complete; })
        .def("path", &LeafRows::path, "leaf"_a);

    m.def("astar", &run_astar, "task"_a, "state"_a.noconvert(), "heuristic"_a = "lmcut",
          nb::kw_only(), "cost_bound"_a = -1, "max_expansions"_a = -1, "max_seconds"_a = -1.0,
          "max_bytes"_a = -1);
    m.def("greedy", &run_greedy, "task"_a, "state"_a.noconvert(), "heuristic"_a = "hff",
          nb::kw_only(), "deferred"_a = true, "preferred"_a = true, "cost_bound"_a = -1,
          "max_expansions"_a = -1, "max_seconds"_a = -1.0, "max_bytes"_a = -1);
    m.def("enforced_hill_climbing", &run_hill_climbing, "task"_a, "state"_a.noconvert(),
          nb::kw_only(), "preferred"_a = true, "cost_bound"_a = -1, "max_expansions"_a = -1,
          "max_seconds"_a = -1.0, "max_bytes"_a = -1);
    m.def("improving_path", &run_improving_path, "task"_a, "state"_a.noconvert(),
          "heuristic"_a = "hff", nb::kw_only(), "max_expansions"_a = -1, "max_seconds"_a = -1.0,
          "max_bytes"_a = -1);
    m.def("lookahead", &run_lookahead, "task"_a, "state"_a.noconvert(), "depth"_a, nb::kw_only(),
          "cost_bound"_a = -1, "max_expansions"_a = -1, "max_seconds"_a = -1.0,
          "max_bytes"_a = -1);
    const auto column = [](auto member) {
        return [member](const SpaceRows& s) { return to_array(std::vector(s.space.*member)); };
    };
    nb::class_<SpaceRows>(m, "ExactCosts")
        .def_prop_ro("status",
                     [](const SpaceRows& s) {
                         return s.space.status == Status::kSolved ? "complete"
                                                                  : status_name(s.space.status);
                     })
        .def_prop_ro("count", [](const SpaceRows& s) { return s.space.count; })
        .def_prop_ro(
            "states",
            [](const SpaceRows& s) {
                return to_array(std::vector(s.space.states), {s.space.parents.size(), s.width});
            },
            nb::rv_policy::move)
        .def_prop_ro("parents", column(&ExactCosts::parents), nb::rv_policy::move)
        .def_prop_ro("operators", column(&ExactCosts::operators), nb::rv_policy::move)
        .def_prop_ro("costs", column(&ExactCosts::costs), nb::rv_policy::move)
        .def_prop_ro("best_operators", column(&ExactCosts::best_operators), nb::rv_policy::move)
        .def_prop_ro("best_successors", column(&ExactCosts::best_successors), nb::rv_policy::move);
    m.def("explore_exact_costs", &run_exploration, "task"_a, nb::kw_only(), "max_states"_a = -1,
          "max_seconds"_a = -1.0, "max_bytes"_a = -1);
}

}  // namespace bugsieve
