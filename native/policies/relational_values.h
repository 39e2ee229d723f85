// The values that a relational network gives to the states of a task.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "basis/budget.h"
#include "networks/relational_network.h"
#include "policies/value_cache.h"
#include "search/search_task.h"

namespace bugsieve {

// Which atoms are true in a state of a task, as the network sees them.
struct RelationalAtoms {
    std::size_t objects;
    std::vector<std::uint32_t> relations;  // of each atom
    Lists<std::uint32_t> arguments;        // of each atom, as numbers of objects
    std::vector<std::uint32_t> always;     // atoms that are true in all states
    // The atom that each value of each variable means; kNoAtom: none.
    std::vector<std::vector<std::uint32_t>> of_values;

    static constexpr std::uint32_t kNoAtom = 0xFFFFFFFF;

    // Throws std::invalid_argument where they fit neither the task nor the network.
    void check(const FdrTask& task, const RelationalNetwork& network) const;
};

// Policies that compare successors meet the same states from many sides, so values are
// remembered, up to some memory.
class RelationalValues {
  public:
    static constexpr std::size_t kMostBytes = std::size_t{1} << 26;

    // The task must outlive the object; `atoms` have been checked. Large batches are evaluated in
    // up to `threads` threads; values are the same for any number of them.
    RelationalValues(const SearchTask& task, std::shared_ptr<const RelationalNetwork> network,
                     RelationalAtoms atoms, NetworkEvaluator::Instructions instructions,
                     std::size_t threads = 1, std::size_t max_bytes = kMostBytes);

    // The value of each state by itself.
    void of_states(std::span<const Value> states, std::span<float> values, Interrupts& interrupts);
    // The values of states that share a maximum with the states beside them: those of group i end
    // at ends[i]. They depend on the group, so nothing is remembered.
    void of_groups(std::span<const Value> states, std::span<const std::size_t> ends,
                   std::span<float> values, Interrupts& interrupts);

  private:
    void add_graph(StateView state, RelationalEvaluator& evaluator) const;
    std::size_t messages(StateView state) const;
    std::vector<std::size_t> block_ends(std::span<const Value> states,
                                        std::span<const std::size_t> ends) const;
    void add_evaluators(std::size_t count);
    StateView row(std::span<const Value> states, std::size_t number) const;

    const SearchTask& task_;
    std::shared_ptr<const RelationalNetwork> network_;
    RelationalAtoms atoms_;
    NetworkEvaluator::Instructions instructions_;
    std::size_t threads_;
    std::vector<RelationalEvaluator> evaluators_;  // by worker, as far as they were needed
    ValueCache cache_;
};

}  // namespace bugsieve
