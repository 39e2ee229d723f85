// A transition system that is given as a graph, and a policy that is given as a table.
#pragma once

#include <cstdint>
#include <vector>

#include "safety/policy_view.h"
#include "safety/transition_system.h"

namespace bugsieve {

// Flat arrays: the choices of state s are state_offsets[s] to state_offsets[s + 1], each an
// action; the outcomes of choice c are outcome_offsets[c] to outcome_offsets[c + 1].
struct ExplicitGraph {
    std::vector<std::uint8_t> kinds;  // as numbered in TransitionSystem::Kind
    std::vector<std::uint32_t> state_offsets;
    std::vector<std::int32_t> actions;
    std::vector<std::uint32_t> outcome_offsets;
    std::vector<std::uint32_t> outcomes;
    std::vector<double> distances;  // of the states from danger; empty: 0 for all
};

// A state is a row of one word, the number of a node.
class ExplicitSystem final : public TransitionSystem {
  public:
    // Refuses graphs that are not as described, with std::invalid_argument.
    ExplicitSystem(ExplicitGraph graph, std::int32_t num_actions);

    std::size_t num_states() const { return graph_.kinds.size(); }
    std::size_t words() const override { return 1; }
    std::int32_t num_actions() const override { return num_actions_; }
    Kind classify(const std::uint64_t* state) override;
    void expand(const std::uint64_t* state, Expansion& out) override;
    void outcomes(const std::uint64_t* state, std::int32_t action,
                  std::vector<std::uint64_t>& out) override;
    double distance(const std::uint64_t* state) override;

  private:
    std::size_t node(const std::uint64_t* state) const;

    ExplicitGraph graph_;
    std::int32_t num_actions_;
};

class TablePolicy final : public PolicyView {
  public:
    explicit TablePolicy(std::vector<std::int32_t> actions) : actions_(std::move(actions)) {}

    void actions(const std::uint64_t* states, std::size_t count, std::int32_t* out) override {
        for (std::size_t i = 0; i < count; ++i)
            out[i] = states[i] < actions_.size() ? actions_[states[i]] : -1;
    }

  private:
    std::vector<std::int32_t> actions_;
};

}  // namespace bugsieve
