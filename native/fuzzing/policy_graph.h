// The graph that a policy induces, as far as it has been asked about; every state is asked once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "basis/budget.h"
#include "safety/policy_view.h"
#include "safety/state_numbers.h"
#include "safety/transition_system.h"

namespace bugsieve {

class PolicyGraph {
  public:
    using Kind = TransitionSystem::Kind;

    // The reason why a run of the policy does not go on behind a state, the gravest last.
    enum class Stuck : std::uint8_t {
        kNot,      // it goes on, or the state is a goal or unsafe
        kDeadEnd,  // no action is applicable
        kNoAction,
        kIllegalAction,  // the policy's action is not applicable
    };

    // Both must outlive the graph.
    PolicyGraph(TransitionSystem& system, PolicyView& policy);

    std::size_t words() const { return states_.words(); }
    StateId insert(const std::uint64_t* row);
    // Stays where it is until the graph is cleared.
    const std::uint64_t* row(StateId id) const { return states_[id]; }
    Kind kind(StateId id);
    double distance(StateId id);  // an estimate that is not a number counts as infinite

    // Returns true if the successors of a state are known. If not, answer() will find them out.
    bool request(StateId id);
    // Asks the policy about the requested states, in batches.
    void answer(Interrupts& interrupts);

    // Of a state whose successors are known: the policy's action, -1 at goals and in danger, the
    // outcomes, none where the action is not applicable, and why there are none.
    std::int32_t action(StateId id) const { return nodes_[id].action; }
    std::span<const StateId> outcomes(StateId id) const {
        return {outcomes_.data() + nodes_[id].first, nodes_[id].count};
    }
    Stuck stuck(StateId id) const { return nodes_[id].stuck; }

    std::size_t size() const { return nodes_.size(); }
    std::size_t bytes() const;
    std::int64_t decisions() const { return decisions_; }
    // Forgets all states; counters go on.
    void clear();
    // Hands over the states, by their numbers, before it forgets all.
    StateNumbers take_states();

  private:
    static constexpr std::int32_t kNotAsked = -2;
    static constexpr std::int32_t kWaiting = -3;
    static constexpr std::uint8_t kKindUnknown = 255;

    struct Node {
        std::size_t first = 0;
        double distance = -1;  // negative: unknown
        std::uint32_t count = 0;
        std::int32_t action = kNotAsked;
        std::uint8_t kind = kKindUnknown;
        Stuck stuck = Stuck::kNot;
    };

    void ask(std::span<const StateId> states, Interrupts& interrupts);
    void add_outcomes(StateId id, std::int32_t action);
    Stuck why_stuck(StateId id, std::int32_t action);

    TransitionSystem& system_;
    PolicyView& policy_;
    StateNumbers states_;
    std::vector<Node> nodes_;
    std::vector<StateId> outcomes_;
    std::vector<StateId> waiting_;
    std::int64_t decisions_ = 0;

    std::vector<std::uint64_t> rows_;  // of one question
    std::vector<std::int32_t> actions_;
    std::vector<std::uint64_t> successors_;
};

}  // namespace bugsieve
