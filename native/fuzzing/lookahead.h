// The search that decides how a walk goes on (FindContinuation in Algorithm 1, papers/001).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "basis/budget.h"
#include "fuzzing/draws.h"
#include "fuzzing/policy_graph.h"

namespace bugsieve {

enum class SuccessorChoice : std::uint8_t { kUniform, kGreedy, kSampling };

struct LookaheadOptions {
    SuccessorChoice choice = SuccessorChoice::kGreedy;
    std::size_t depth = std::numeric_limits<std::size_t>::max();  // D_limit
    // A lookahead that has seen so many states looks no further.
    std::size_t most_states = std::numeric_limits<std::size_t>::max();
};

// The random numbers of one walk.
struct WalkDraws {
    const Draws& draws;
    std::size_t row;
    std::uint64_t used = 0;

    std::uint64_t below(std::uint64_t bound) { return draws.below(row, used++, bound); }
    double unit() { return static_cast<double>(draws.word(row, used++) >> 11) * 0x1p-53; }
};

// Layers of states around an origin; a state belongs to the first layer that reaches it, the
// origin to none. The uniform choice looks one step ahead and takes any outcome.
class Lookahead {
  public:
    enum class Found : std::uint8_t {
        kNothingYet,  // request() and add_layer() once more
        kExhausted,   // the layer is empty
        kUnsafe,      // target() is unsafe
        kCandidates,  // choose() picks the target
    };
    struct Step {
        StateId from;
        std::uint32_t outcome;
    };

    explicit Lookahead(const LookaheadOptions& options) : options_(options) {}

    void start(StateId origin);
    // Returns true if the successors of the last layer are known; else the graph must answer
    // first.
    bool request(PolicyGraph& graph, Interrupts& interrupts);
    Found add_layer(PolicyGraph& graph, Interrupts& interrupts);
    void choose(PolicyGraph& graph, WalkDraws& draws);

    // The gravest reason why a run of the policy ends in one of the states whose outcomes were
    // added; a dead end counts at the origin alone, where it ends the walk.
    PolicyGraph::Stuck stuck() const { return stuck_; }

    StateId target() const { return seen_[target_].state; }
    // The steps from the origin to the target, the last one first.
    void path(std::vector<Step>& steps) const;

    std::size_t frontier_size() const { return depth_ == 0 ? 1 : seen_.size() - layer_begin_; }
    std::size_t size() const { return seen_.size(); }
    // For a graph that was cleared: calls `number(state)` for all states that are needed.
    template <class Number>
    void renumber(Number number) {
        origin_ = number(origin_);
        for (Seen& item : seen_) item.state = number(item.state);
        known_.clear();
        if (depth_ > 1) remember_from(0);
    }

  private:
    static constexpr std::uint32_t kOrigin = std::numeric_limits<std::uint32_t>::max();

    struct Seen {
        StateId state;
        std::uint32_t parent;   // position in seen_, or kOrigin
        std::uint32_t outcome;  // of the parent
    };

    // A set of states that is cheap to clear while it is small.
    class StateSet {
      public:
        bool insert(StateId id);  // true if it is new
        void clear();

      private:
        void grow();

        std::vector<std::uint64_t> slots_;  // id + 1; 0 is empty
        std::size_t size_ = 0;
    };

    void add_outcomes(const PolicyGraph& graph, StateId state, std::uint32_t position);
    void remember_from(std::size_t first);
    Found weigh_layer(PolicyGraph& graph, Interrupts& interrupts);
    void choose_nearest(PolicyGraph& graph, WalkDraws& draws);
    void choose_by_weight(PolicyGraph& graph, WalkDraws& draws);

    const LookaheadOptions& options_;
    StateId origin_ = 0;
    std::size_t depth_ = 0;
    std::vector<Seen> seen_;
    std::size_t layer_begin_ = 0;  // of the last layer
    PolicyGraph::Stuck stuck_ = PolicyGraph::Stuck::kNot;
    StateSet known_;        // the states seen, and the origin; from the second layer on
    double least_ = 0;      // distance in the last layer
    std::size_t ties_ = 0;  // states at that distance
    std::size_t target_ = 0;
    std::vector<double> sums_;  // of weights
};

}  // namespace bugsieve
