// Upper bounds on the cost of plans, kept for all states that tests have met: papers/002,
// Algorithms 3 to 5, in a fixed order.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dominance/finite_pairs.h"
#include "dominance/function.h"
#include "dominance/replay.h"
#include "search/search.h"
#include "tasks/state_registry.h"

namespace bugsieve {

constexpr std::int64_t kUnbounded = std::numeric_limits<std::int64_t>::max();

struct BoundsOptions {
    std::int64_t lookahead = 0;  // expansions of a greedy search from each case; 0: none
    std::int64_t max_bytes = -1;
};

// A new fact of a case: plans from there cost at most `bound`, less than the policy.
struct BoundEvent {
    std::int32_t at;  // in the order in which cases were learnt
    std::int64_t bound;
};

class Bounds {
  public:
    Bounds(const SearchTask& task, const DominanceFunction& function,
           const BoundsOptions& options);

    // The next case, and the operators of the policy's run from it. `policy_cost` is the least
    // that the policy may need. It is the cost of its run if that is a plan or was cut, kUnbounded
    // if it fails, 0 for a case that is not a bug under any bounds.
    void learn(StateView state, std::span<const std::int32_t> run, std::int64_t policy_cost,
               Interrupts& interrupts);
    // Greedy search from the case learnt last, up to plans cheaper than `cost_bound`.
    SearchResult look_ahead(std::int64_t cost_bound, Interrupts& interrupts);
    // A way that a search has found from the case learnt last to a state of which more may be
    // known than of those before it. Returns true if it helped. Throws std::invalid_argument if it
    // is not a way.
    bool follow(std::span<const std::int32_t> way, Interrupts& interrupts);
    // Tell all others what the last case's bound has become.
    void spread(Interrupts& interrupts);

    // The changes for cases since they were last taken, in their order.
    std::vector<BoundEvent> take_events();
    // The ways that helped since they were last taken, from the case learnt last.
    std::vector<std::vector<std::int32_t>> take_ways() { return std::move(ways_); }
    // kUnbounded if nothing is known.
    std::int64_t bound(std::int32_t at) const { return states_[cases_.at(index(at)).state].bound; }
    // A plan for a case that is as cheap as its bound says, or cheaper; nothing if it is not
    // found.
    std::optional<std::vector<std::int32_t>> plan(std::int32_t at, Interrupts& interrupts);

    std::size_t num_states() const { return states_.size(); }
    std::size_t num_sources() const { return num_sources_; }
    std::size_t bytes() const;

  private:
    using StateNumber = std::uint32_t;

    struct Known {
        std::int64_t bound = kUnbounded;
        std::int64_t pushed = kUnbounded;  // its bound when the others were last told of it
        std::int32_t record = -1;          // the reason of the bound
        std::int32_t last_parent = -1;     // of its transitions under the policy, backwards
        std::int32_t last_case = -1;       // with this state
        std::int32_t step = kNoOperator;   // the policy's action there
        std::int64_t seen = -1;            // how much of new_sources_ it has pulled from
        bool is_source = false;
    };
    // The reason of a bound: a step, a way or a comparison that leads to an earlier record.
    struct Record {
        std::int32_t kind;    // an operator, or one of the below
        std::int32_t source;  // a record; -1: the goal is reached
        std::int32_t detail;  // compared: the state's number; way: its number
    };
    static constexpr std::int32_t kGoal = -1, kCompared = -2, kWay = -3;
    struct Parent {
        std::int32_t previous;
        StateNumber state;
        std::int32_t op;
    };
    struct Case {
        StateNumber state;
        std::int32_t previous;  // case with the same state
        std::int64_t policy_cost;
        bool has_event = false;
    };
    struct Offer {
        std::int64_t bound = kUnbounded;
        StateNumber from = 0;
    };

    static std::size_t index(std::int32_t i) { return static_cast<std::size_t>(i); }
    std::span<const Place> places(StateNumber state) const {
        return {places_.data() + std::size_t{state} * width_, width_};
    }
    StateNumber meet(StateView state);
    void read(StateNumber state, std::vector<Value>& row) const;
    void locate(StateView state);
    std::int64_t between(const DominanceTables& tables, std::span<const Place> a,
                         std::span<const Place> b) const;
    // The best that sources other than `self` say of a state, if that is below `limit`.
    Offer pull(std::span<const Place> places, std::int64_t limit, StateNumber self) const;
    // The same of a known state, where it has not asked yet.
    Offer pull_news(StateNumber state);
    void look_at(StateNumber state);
    bool is_told(StateNumber state) const;
    void push(StateNumber state);
    // Finds out which states whose bounds fell are of use to others.
    void settle();
    void add_source(StateNumber state);
    void lower(StateNumber state, std::int64_t bound, const Record& record);
    // The bound on the last case by a state at the end of a way from it.
    template <class Way>
    bool consider(StateView end, std::int64_t cost, Way way);
    void note_events(StateNumber state);
    // Throws std::out_of_range before the first case.
    StateNumber last_state() const { return cases_.at(cases_.size() - 1).state; }
    std::int64_t cost_of(std::span<const std::int32_t> operators) const;
    void apply(std::int32_t op, std::vector<Value>& state) const;
    void find_best();

    const SearchTask& task_;
    const FdrTask& fdr_;
    const DominanceFunction& function_;
    BoundsOptions options_;
    Replay replay_;
    std::size_t width_;
    StateRegistry registry_;
    std::vector<Word> packed_;
    std::vector<Known> states_;
    std::vector<Place> places_;
    std::vector<Record> records_;
    std::vector<Parent> parents_;
    std::vector<Case> cases_;
    Lists<std::int32_t> way_operators_;
    std::vector<std::vector<std::int32_t>> ways_;
    std::vector<std::int32_t> events_;
    DominanceTables into_;                          // the tables, transposed
    std::vector<std::vector<Distance>> best_into_;  // by factor and t: max over s of D(s, t)
    std::vector<std::vector<Distance>> best_from_;  // by factor and s: max over t of D(s, t)
    std::vector<StateNumber> unsorted_;  // whose bounds fell since they were last compared
    std::vector<std::int32_t> located_;
    std::vector<Place> here_;
    FinitePairs pairs_;
    std::size_t num_sources_ = 0;
    std::vector<StateNumber> new_sources_;  // in the order in which they became sources
};

}  // namespace bugsieve
