// A network as the policy of a JANI model: the action with the greatest score.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "jani/jani_system.h"
#include "networks/network.h"
#include "safety/policy_view.h"

namespace bugsieve {

// The input of a network and the meaning of its outputs.
struct NetworkReading {
    // The input is (x - mean) / range, with x moved into [lower, upper] before.
    struct Scale {
        double lower, upper, mean, range;
    };

    std::shared_ptr<const Network> network;
    std::shared_ptr<const jani::CompiledModel> model;
    std::vector<std::uint32_t> inputs;  // the variable behind each
    std::vector<Scale> scales;          // one per input, or none at all
    std::vector<std::int32_t> actions;  // of each output, all different
    bool filter = true;                 // true if only applicable actions compete
    double epsilon = 0;                 // scores this close to the best count as equal

    // Throws std::invalid_argument where the parts do not fit each other.
    void check() const;
};

// Among equal scores the lowest action wins; what is not a number counts as the worst. With the
// filter, states in which no action of the network is applicable have none.
class NetworkPolicy final : public PolicyView {
  public:
    // `reading` has been checked.
    explicit NetworkPolicy(std::shared_ptr<const NetworkReading> reading);

    const std::shared_ptr<const NetworkReading>& reading() const { return reading_; }
    void actions(const std::uint64_t* states, std::size_t count, std::int32_t* out) override;

  private:
    void read(const std::uint64_t* state, float* inputs);
    std::int32_t decide(const std::uint64_t* state, const float* scores);

    std::shared_ptr<const NetworkReading> reading_;
    NetworkEvaluator evaluator_;
    std::optional<jani::JaniSystem> system_;  // where actions are filtered
    std::vector<jani::Word> values_;          // of one state
    std::vector<std::int32_t> output_of_;     // by action; -1: none
    std::vector<std::int32_t> all_;           // actions of the network, ascending
    std::vector<std::int32_t> applicable_;
};

}  // namespace bugsieve
