// A batch of walks that make their steps together.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "basis/budget.h"
#include "fuzzing/draws.h"
#include "fuzzing/live_successors.h"
#include "heuristics/evaluator.h"
#include "search/search_task.h"

namespace bugsieve {

// States that a walk wants in the pool: its own last state and those a bias has pointed out.
struct Offers {
    std::vector<std::int64_t> walks;      // row of the walk in the batch
    std::vector<std::int64_t> steps;      // the number of actions that lead there
    std::vector<std::int32_t> operators;  // the last of them
    std::vector<Value> states;
};

// The caller weighs the successors: expand() lists those of the next walks, move() is told their
// weights and lets these walks go on, until expand() lists no more walks.
class Walks {
  public:
    // Walk i starts in row i of `starts` and makes at most lengths[i] steps, those from draw
    // `first_draw` on. The task must outlive the object.
    Walks(const SearchTask& task, Draws draws, std::uint64_t first_draw, std::vector<Value> starts,
          std::vector<std::int64_t> lengths);

    // The live successors, see live_successors(), of the next walks. The step is over when all
    // walks have had their turn.
    Successors expand(Evaluator* heuristic, std::size_t max_rows, Interrupts& interrupts);
    // One weight per listed successor. A walk whose weights are all 0 ends. Successors marked in
    // `offered`, which may be empty, are offered besides.
    void move(std::span<const std::int64_t> weights, std::span<const std::uint8_t> offered);

    std::size_t listed() const { return listed_.operators.size(); }
    std::size_t size() const { return lengths_.size(); }
    // The operators of each walk.
    const std::vector<std::vector<std::int32_t>>& actions() const { return actions_; }
    // All offers by walk; those of a walk by steps and operators, its own end last.
    Offers offers() const;

  private:
    std::span<Value> state(std::size_t walk) {
        return std::span(states_).subspan(walk * width_, width_);
    }
    void start_step();

    const SearchTask& task_;
    Draws draws_;
    std::uint64_t first_draw_;
    std::vector<std::int64_t> lengths_;
    std::vector<Value> states_;
    std::size_t width_;
    std::vector<std::vector<std::int32_t>> actions_;
    Offers offers_;  // without ends, by steps

    std::size_t step_ = 0;
    std::vector<std::size_t> walking_;  // the walks that make this step
    std::size_t turn_ = 0;              // the number of them that have had their turn
    Successors listed_;                 // of the walks whose turn it is
};

}  // namespace bugsieve
