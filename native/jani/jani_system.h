// A JANI model as a transition system.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "jani/compiled_model.h"
#include "safety/transition_system.h"

namespace bugsieve::jani {

// Runs a model on one state after the other. Throws Fault where the model goes wrong.
class JaniSystem final : public TransitionSystem {
  public:
    explicit JaniSystem(std::shared_ptr<const CompiledModel> model)
        : model_(std::move(model)), registers_(model_->registers) {}

    const CompiledModel& model() const { return *model_; }
    const std::shared_ptr<const CompiledModel>& shared_model() const { return model_; }

    std::size_t words() const override { return model_->packing.words(); }
    std::int32_t num_actions() const override { return model_->num_actions; }
    Kind classify(const std::uint64_t* state) override;
    void expand(const std::uint64_t* state, Expansion& out) override;
    void outcomes(const std::uint64_t* state, std::int32_t action,
                  std::vector<std::uint64_t>& out) override;
    bool has_action(const std::uint64_t* state) override;

    // One outcome of an action: each enabled edge is equally likely, and the destinations of an
    // edge are as likely as the model says. `draw` is from [0, 1). False if it is not applicable.
    bool draw_outcome(const std::uint64_t* state, std::int32_t action, double draw,
                      std::vector<std::uint64_t>& out);

    // 0 for all states of a model without such an estimate.
    double distance(const std::uint64_t* state) override;

    bool is_goal(const std::uint64_t* state) { return holds(model_->goal, state); }
    bool is_unsafe(const std::uint64_t* state) { return holds(model_->unsafe, state); }
    bool is_start(const std::uint64_t* state) { return holds(model_->start, state); }
    // The actions that `expand` would list.
    void applicable(const std::uint64_t* state, std::vector<std::int32_t>& actions);

  private:
    struct Place {
        const std::uint64_t* state;
        const CompiledModel::Edge* edge;
    };

    void load(const std::uint64_t* state) { model_->packing.unpack(state, registers_.data()); }
    bool holds(std::uint32_t condition, const std::uint64_t* state);
    bool test(std::uint32_t program, const Place& place);
    bool is_enabled(const EdgeIndex::Candidate& candidate, const Place& place);
    bool is_possible(const CompiledModel::Destination& destination, const Place& place);
    double weight(const CompiledModel::Destination& destination, const Place& place);
    const CompiledModel::Destination& draw_destination(const Place& place, double draw);
    void add_outcomes(const Place& place, std::size_t first, std::vector<std::uint64_t>& outcomes);
    void add_outcome(const CompiledModel::Destination& destination, const Place& place,
                     std::size_t first, std::vector<std::uint64_t>& outcomes);
    void take_step(const CompiledModel::Step& step, const Place& place, std::uint64_t* outcome);
    void keep_stored_values(const CompiledModel::Step& step);
    void restore(const std::uint64_t* state);
    [[noreturn]] void fail(Ending kind, const Place& place, std::int32_t variable = -1,
                           double value = 0);

    std::shared_ptr<const CompiledModel> model_;
    std::vector<Word> registers_;
    std::vector<Word> stored_;                         // the values of one step
    std::vector<const CompiledModel::Edge*> enabled_;  // in draw_outcome
    std::vector<double> weights_;                      // in draw_destination
};

}  // namespace bugsieve::jani
