// The policies that step to the successor with the best heuristic value.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "basis/budget.h"
#include "heuristics/evaluator.h"
#include "policies/value_cache.h"
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

    // The task must outlive the object. Remembers about as many values as `max_bytes` hold.
    BestSuccessors(const SearchTask& task, std::unique_ptr<Evaluator> heuristic, Order order,
                   std::size_t max_bytes = kMostBytes);

    // For each row the best operator, the lowest of equally good ones; kNoOperator where none is
    // applicable. Dead ends are the last choice.
    void choose(std::span<const Value> states, std::span<std::int32_t> chosen,
                Interrupts& interrupts);

  private:
    void start_batch();
    std::uint32_t note(const Word* packed);
    void collect(StateView state);
    void evaluate(Interrupts& interrupts);
    std::int32_t pick(std::size_t state) const;
    std::int64_t rank(std::int32_t op, std::int32_t value, std::int32_t own) const;

    const SearchTask& task_;
    std::unique_ptr<Evaluator> heuristic_;
    Order order_;
    ValueCache values_;

    // The states at hand: their places in the batch, operators, and the places of their
    // successors.
    std::vector<std::uint32_t> own_;
    std::vector<std::int32_t> operators_;
    std::vector<std::uint32_t> successors_;
    std::vector<std::size_t> ends_;  // the end of the operators of each state
    std::vector<Value> new_rows_;    // the states that have no value yet
    std::vector<Word> parent_, children_;
};

}  // namespace bugsieve
