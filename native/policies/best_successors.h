// The policies that step to the successor with the best heuristic value.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "basis/budget.h"
#include "heuristics/evaluator.h"
#include "search/search_task.h"
#include "tasks/state_registry.h"

namespace bugsieve {

// Chooses an operator for each state by the heuristic values of its successors. Runs of a policy
// meet the same states from many sides, so their values are remembered, up to some memory.
class BestSuccessors {
  public:
    enum class Order {
        kNearest,    // the lowest value; costs do not count
        kImproving,  // the lowest cost plus value, among values below that of the state if
                     // possible
    };

    static constexpr std::size_t kMostBytes = std::size_t{1} << 26;

    // The task must outlive the object. Values that take more than `max_bytes` are forgotten.
    BestSuccessors(const SearchTask& task, std::unique_ptr<Evaluator> heuristic, Order order,
                   std::size_t max_bytes = kMostBytes);

    // For each row the best operator, the lowest of equally good ones; kNoOperator where none is
    // applicable. Dead ends are the last choice.
    void choose(std::span<const Value> states, std::span<std::int32_t> chosen,
                Interrupts& interrupts);

  private:
    void forget_if_too_many();
    StateId note(const Word* packed);
    StateId note_successor(const Word* packed, StateView state, std::int32_t op);
    void collect(StateView state);
    void evaluate(Interrupts& interrupts);
    std::int32_t pick(std::size_t state) const;
    std::int64_t rank(std::int32_t op, std::int32_t value, std::int32_t own) const;

    const SearchTask& task_;
    std::unique_ptr<Evaluator> heuristic_;
    Order order_;
    std::size_t max_bytes_;
    std::optional<StateRegistry> known_;
    std::vector<std::int32_t> values_;  // of the known states

    // The states at hand: their ids, operators, and the ids of their successors.
    std::vector<StateId> own_;
    std::vector<std::int32_t> operators_;
    std::vector<StateId> successors_;
    std::vector<std::size_t> ends_;  // where the operators of each state end
    std::vector<Value> new_rows_;    // the states that have no value yet
    std::vector<Word> parent_, child_;
};

}  // namespace bugsieve
