// h^FF from states to other states, for comparing the states of a trace with each other.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "basis/budget.h"
#include "heuristics/evaluator.h"
#include "heuristics/explorer.h"
#include "heuristics/relaxation.h"
#include "tasks/fdr_task.h"

namespace bugsieve {

// The relaxation in which every fact matters.
Relaxation relax_towards_all_facts(const FdrTask& task, Interrupts& interrupts);

// Explores the relaxation once for each source, then reads off a relaxed plan for each target.
// Keeps scratch memory, so each thread needs its own.
class PathDistances {
  public:
    // The relaxation, in which every fact must matter, has to outlive the object.
    PathDistances(const FdrTask& task, const Relaxation& relaxation);

    // Sources and targets are rows. Target t of source i, where offsets[i] <= t < offsets[i + 1],
    // gets as distances[t] the h^FF value of the source in the task whose goal is the target.
    void hff(std::span<const Value> sources, std::span<const Value> targets,
             std::span<const std::int64_t> offsets, std::span<std::int32_t> distances,
             Interrupts& interrupts);

  private:
    // The way a fact gets true from the source at hand, if `source` is its number.
    struct Support {
        std::uint32_t source = 0;
        std::int32_t op;  // kNoOperator: it does not
        std::int32_t cost;
        std::uint32_t needs_begin, needs_end;  // in needs_: preconditions false in the source
    };

    void start_source();
    std::size_t start_target(StateView source, StateView target);
    template <class ValueOf>
    std::int32_t distance(StateView source, StateView target, const ValueOf& value);
    template <class ValueOf>
    const Support& support(std::int32_t fact, const ValueOf& value);
    template <class ValueOf>
    void find_support(std::int32_t fact, const ValueOf& value);

    const Relaxation& relaxation_;
    std::size_t width_;
    Explorer explorer_;
    std::vector<Support> supports_;  // of each fact
    std::vector<std::int32_t> needs_;
    std::vector<std::uint32_t> met_;      // of each fact: the last target that needed it
    std::vector<std::uint32_t> counted_;  // of each operator: the last target that used it
    std::vector<std::int32_t> open_;      // facts that still need support; has room for all
    std::uint32_t source_ = 0;            // numbers of the source and the target at hand
    std::uint32_t target_ = 0;
};

}  // namespace bugsieve
