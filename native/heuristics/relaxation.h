// The delete relaxation of a task, reduced to what can matter for the goal.
#pragma once

#include <cstdint>
#include <vector>

#include "basis/budget.h"
#include "heuristics/sweep_operators.h"
#include "tasks/fdr_task.h"

namespace bugsieve {

// A relaxed operator makes all its effects true once its preconditions have been true. Effects
// of one operator with the same condition share a relaxed operator. Facts that are neither in
// the goal nor needed on the way to it have no number.
struct Relaxation {
    Relaxation(const FdrTask& task, Interrupts& interrupts)
        : Relaxation(task, task.goal, interrupts) {}
    // As if `goal_facts`, which may exclude each other, were the goal of the task.
    Relaxation(const FdrTask& task, std::span<const Fact> goal_facts, Interrupts& interrupts);

    std::int32_t num_facts = 0;
    std::vector<std::int32_t> goal;
    Lists<std::int32_t> preconditions;        // facts of each relaxed operator
    Lists<std::int32_t> effects;              // facts of each relaxed operator
    std::vector<std::int64_t> costs;          // cost of each relaxed operator
    std::vector<std::int64_t> weights;        // as costs, but positive: see kWeightOfCost
    std::vector<std::int32_t> operators;      // operator of the task behind each relaxed operator
    std::vector<std::int32_t> unconditional;  // relaxed operators without preconditions
    Lists<std::int32_t> needed_by;            // relaxed operators that have a fact as precondition
    Lists<std::int32_t> achievers;        // relaxed operators that have a fact as effect, in the
                                          // order in which supporters are preferred
    std::int32_t most_preconditions = 1;  // of one relaxed operator
    SweepOperators for_sweeps;            // for who wants the values of facts alone

    std::size_t num_operators() const { return costs.size(); }

    // The number of a fact; -1 if it does not matter.
    std::int32_t number(std::size_t variable, Value value) const {
        return fact_numbers_[first_fact_[variable] + value];
    }
    // Calls visit(fact) for every numbered fact of `state`.
    template <class Visit>
    void for_each_fact(StateView state, Visit visit) const {
        for (std::size_t v = 0; v < state.size(); ++v) {
            const std::int32_t fact = number(v, state[v]);
            if (fact >= 0) visit(fact);
        }
    }

  private:
    struct Draft;
    std::vector<std::int32_t> facts_of(StateView state) const;
    std::vector<Draft> draft_operators(const FdrTask& task, Interrupts& interrupts) const;
    void number_relevant_facts(std::span<const Fact> goal_facts, const std::vector<Draft>& drafts,
                               Interrupts& interrupts);
    void drop_irrelevant_effects(std::vector<Draft>& drafts, Interrupts& interrupts) const;
    void drop_repetitions(const FdrTask& task, std::vector<Draft>& drafts,
                          Interrupts& interrupts) const;
    void store(const FdrTask& task, const std::vector<Draft>& drafts, Interrupts& interrupts);
    void order_by_first_use(const FdrTask& task, std::vector<Draft>& drafts,
                            Interrupts& interrupts) const;

    std::vector<std::size_t> first_fact_;     // of each variable, into fact_numbers_
    std::vector<std::int32_t> fact_numbers_;  // -1: the fact does not matter
};

// If some operator is free of cost, supporters are chosen under weights of this many per unit of
// cost plus one. So no fact supports itself through a circle of free operators.
constexpr std::int32_t kWeightOfCost = 1024;

}  // namespace bugsieve
