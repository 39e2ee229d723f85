// Walks that follow a policy and steer the outcomes of its actions towards danger (Algorithm 1,
// papers/001), many at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "basis/budget.h"
#include "fuzzing/draws.h"
#include "fuzzing/lookahead.h"
#include "fuzzing/policy_graph.h"

namespace bugsieve {

struct WalkOptions {
    LookaheadOptions lookahead;
    std::size_t most_steps = 10'000;                // of a walk
    std::size_t lanes = 1024;                       // walks on their way at a time
    std::size_t most_bytes = std::size_t{1} << 28;  // that the policy graph may take
};

enum class WalkEnding : std::uint8_t {
    kUnsafe,
    kExhausted,  // at the goal, or the lookahead has seen all that the policy can reach
    kLoop,       // back in a state without a random draw since: it would go on forever
    kStepLimit,
    kDeadEnd,  // no action is applicable
    // The same as exhausted, but the policy fails in a state that was seen:
    kNoAction,
    kIllegalAction,  // chosen, but not applicable
};

// The results of the walks of one call, in the order of their numbers in the call.
struct WalkResults {
    std::vector<std::uint8_t> endings;  // WalkEnding
    std::vector<std::int64_t> steps;
    // Runs into danger; walk i has states and actions offsets[i] to offsets[i + 1], none if it
    // found no danger. The action of the last state is -1.
    std::vector<std::int64_t> offsets;
    std::vector<std::uint64_t> states;  // words() each
    std::vector<std::int32_t> actions;
};

// A walk depends on its start, its random numbers and the options alone: not on the walks beside
// it, nor on how much of the policy graph is remembered.
class UnsafeRuns {
  public:
    // Both must outlive the object.
    UnsafeRuns(TransitionSystem& system, PolicyView& policy, const WalkOptions& options);

    // Walk i starts in row i of `starts`, whose rows have words() each.
    WalkResults run(std::span<const std::uint64_t> starts, const Draws& draws,
                    Interrupts& interrupts);

    std::size_t words() const { return graph_.words(); }
    std::int64_t decisions() const { return graph_.decisions(); }  // states the policy was asked
    std::size_t num_states() const { return graph_.size(); }       // remembered now
    std::size_t bytes() const { return graph_.bytes(); }
    std::int64_t forgotten() const { return forgotten_; }  // times that memory ran out

  private:
    // One step of a walk: how to find the next state again without the policy.
    struct Move {
        std::int32_t action;
        std::uint32_t outcome;
    };

    // A walk on its way. Cycles are found by Brent's algorithm: the state is compared with an
    // anchor, which moves up after 1, 2, 4, ... decisions, and after every random draw.
    struct Lane {
        Lane(const LookaheadOptions& options, const Draws& draws, std::size_t walk)
            : walk(walk), draws{draws, walk}, lookahead(options) {}

        std::size_t walk;  // row in the call
        WalkDraws draws;
        Lookahead lookahead;
        StateId state = 0;
        std::vector<Move> moves;
        std::vector<std::uint64_t> anchor;
        std::uint64_t power = 1, since_anchor = 0;
        bool is_done = false;
    };

    void admit(std::span<const std::uint64_t> starts, const Draws& draws);
    std::size_t request(Interrupts& interrupts);
    void advance(Lane& lane, Interrupts& interrupts);
    void decide(Lane& lane, Lookahead::Found found);
    bool follow_path(Lane& lane);
    bool is_loop(Lane& lane, bool drew);
    void drop_anchor(Lane& lane, std::uint64_t power);
    void finish(Lane& lane, WalkEnding ending);
    void forget(Interrupts& interrupts);
    void collect_runs(std::span<const std::uint64_t> starts, Interrupts& interrupts);
    void replay(const std::uint64_t* start, const std::vector<Move>& moves,
                Interrupts& interrupts);

    TransitionSystem& system_;
    WalkOptions options_;
    PolicyGraph graph_;
    std::size_t forget_at_;  // bytes
    std::int64_t forgotten_ = 0;

    // Of the present call:
    std::vector<std::unique_ptr<Lane>> lanes_;  // by age
    std::size_t admitted_ = 0;
    WalkResults results_;                   // without runs
    std::vector<std::vector<Move>> found_;  // of the walks into danger
    std::vector<Lookahead::Step> path_;
    std::vector<std::uint64_t> state_, outcomes_;
};

}  // namespace bugsieve
