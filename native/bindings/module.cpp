#include "bindings/arrays.h"
#include "heuristics/evaluator.h"
#include "heuristics/lane_exploration.h"

NB_MODULE(_native, m) {
    using namespace bugsieve;
    nb::set_leak_warnings(false);  // daemon threads may hold objects when Python ends
    m.doc() = "The compiled core of Bugsieve.";
    m.attr("VERSION") = BUGSIEVE_VERSION;
    m.attr("DEAD_END") = kDeadEnd;
    m.attr("NO_ACTION") = kNoOperator;
    m.attr("SIMD") = lane_instructions();
#if defined(__SANITIZE_ADDRESS__)
    m.attr("SANITIZED") = true;
#else
    m.attr("SANITIZED") = false;
#endif
    nb::list names;
    for (const auto name : heuristic_names()) names.append(nb::str(name.data(), name.size()));
    m.attr("HEURISTICS") = nb::tuple(names);
    bind_tasks(m);
    bind_heuristics(m);
    bind_search(m);
    bind_novelty(m);
    bind_distances(m);
    bind_dominance(m);
    bind_improvement(m);
    bind_policies(m);
    bind_fuzzing(m);
    bind_safety(m);
    bind_jani(m);
    bind_networks(m);
    bind_relational_networks(m);
    bind_asnets(m);
    bind_unsafe_runs(m);
}
