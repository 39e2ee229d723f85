// Action schema networks (ASNets): scores for the ground actions of a task in one state.
//
// Layers of actions and of facts alternate. All actions of a schema share the weights of its
// module, all facts of a predicate those of its module.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "networks/asnet_kernels.h"
#include "networks/dense_layer.h"
#include "tasks/fdr_task.h"

namespace bugsieve {

// The ground actions and facts of a task, and how they are connected.
struct AsnetStructure {
    struct Schema {
        std::vector<std::int32_t> predicates;  // of the related atoms, by position
        std::vector<std::int32_t> related;     // facts, a row per action; num_facts: there is none
    };

    std::vector<std::int32_t> fact_starts;    // facts are sorted by predicate
    std::vector<std::int32_t> action_starts;  // and actions by schema
    std::vector<std::uint8_t> goal;           // by fact
    std::vector<Fact> places;                 // by fact; without a variable it is always true
    std::vector<Schema> schemas;

    std::size_t num_facts() const { return places.size(); }
    std::size_t num_actions() const { return static_cast<std::size_t>(action_starts.back()); }
    std::size_t num_predicates() const { return fact_starts.size() - 1; }

    // Throws std::invalid_argument where numbers are out of range or lists do not fit.
    void check(const FdrTask& task) const;
};

struct AsnetModule {
    std::size_t inputs = 0, outputs = 0;
    std::vector<float> weights;  // a row per output
    std::vector<float> biases;
};

// actions[l] has a module per schema for l = 0..L, predicates[l] one per predicate for l < L;
// those of predicates that no schema has are not looked at.
struct AsnetWeights {
    std::size_t hidden = 0;
    std::vector<std::vector<AsnetModule>> actions, predicates;
};

// Immutable, so that several threads may share it, each with buffers of its own. Scores depend on
// the state alone, and not on the machine: every sum has one order, in which products are rounded
// before they are added.
//
// What a related fact contributes to an action is computed once for each fact and position and
// then gathered: an action's sum is its bias, the sums over each related fact in their order, then
// the sum over its own previous vector.
class Asnet {
  public:
    enum class Instructions { kBest, kBaseline };

    struct Buffers {
        std::vector<float> truth;
        std::vector<Line> facts, actions, next_actions, pooled, shares;
        std::vector<float> logits;
    };

    // Throws std::invalid_argument where weights do not fit the structure.
    Asnet(const AsnetStructure& structure, const AsnetWeights& weights,
          Instructions instructions = Instructions::kBest);

    std::size_t num_actions() const { return num_actions_; }
    std::size_t work() const { return work_; }  // for one state, in multiplications

    Buffers make_buffers() const;
    // The score of every action, in the buffers; `applicable` has 1 or 0 per action.
    const float* run(StateView state, const std::uint8_t* applicable, Buffers& buffers) const;

  private:
    struct Slot {  // one position of one schema, seen from its predicate
        std::size_t schema, position;
        std::vector<std::int32_t> offsets, members;  // by fact of the predicate: its actions
    };
    struct Predicate {
        std::size_t first, count;  // facts
        std::vector<Slot> slots;
        std::size_t shares, scores;  // where its shares start, in vectors and in lines
    };
    struct Schema {
        std::size_t first, count, positions;                     // actions
        std::vector<std::pair<std::size_t, std::size_t>> slots;  // predicate, and which of its
        std::vector<Line> truth_weights;    // of layer 0: a vector per position, then applicable
        std::vector<Line> constants;        // of layer 0: a vector per action
        std::vector<std::int32_t> related;  // a row per action
        std::vector<std::int32_t> shares;   // places of those of its related facts, in vectors
        std::vector<std::int32_t> scores;   // the same for the last layer, in floats
    };
    struct Dense {
        std::size_t inputs, stripes;
        std::vector<Line> weights, biases;
    };
    struct ActionLayer {  // of each predicate: what its facts give; of each schema: the rest
        std::vector<Dense> shares;
        std::vector<Dense> own;
        std::vector<Line> missing;  // shares of missing facts, by schema and position
    };

    void connect(const AsnetStructure& structure);
    Slot slot_of(std::size_t schema, std::size_t position, const Predicate& predicate) const;
    void place_shares();
    void fold_first_layer(const AsnetStructure& structure,
                          const std::vector<AsnetModule>& modules);
    Dense fact_module(const Predicate& predicate, const AsnetModule& module, bool has_own) const;
    ActionLayer action_layer(const std::vector<AsnetModule>& modules, bool is_last) const;
    Dense shares_of(const Predicate& predicate, const std::vector<AsnetModule>& modules,
                    bool is_last) const;
    std::vector<Line> missing_shares(const std::vector<AsnetModule>& modules, bool is_last) const;
    void count_work();

    const AsnetKernels& kernels() const;
    void run_first(StateView state, const std::uint8_t* applicable, Buffers& buffers) const;
    void run_facts(std::size_t layer, Buffers& buffers) const;
    void run_shares(const ActionLayer& layer, bool is_last, Buffers& buffers) const;
    void run_actions(const ActionLayer& layer, Buffers& buffers) const;
    void run_scores(const ActionLayer& layer, Buffers& buffers) const;

    Instructions instructions_;
    std::size_t hidden_, lines_;  // of a vector
    std::size_t num_actions_, work_ = 0;
    std::vector<Fact> places_;
    std::vector<Predicate> predicates_;
    std::vector<Schema> schemas_;
    std::vector<std::vector<Dense>> fact_layers_;      // by layer and predicate
    std::vector<ActionLayer> action_layers_;           // from layer 1 on
    std::size_t share_vectors_ = 0, score_lines_ = 0;  // before those of missing facts
    std::size_t num_slots_ = 0;
    std::vector<Line> no_biases_;
};

}  // namespace bugsieve
