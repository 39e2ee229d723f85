// A task as factors: exact projections onto disjoint blocks of variables, which share their
// labels.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dominance/labels.h"
#include "dominance/work_meter.h"
#include "tasks/fdr_task.h"

namespace bugsieve {

// Distances of factors; saturating, since sums of them must not overflow.
using Distance = std::int32_t;
constexpr Distance kFarAway = 1 << 29;
constexpr Distance kUsable = 1 << 24;  // finite values stay below, so that sums do not overflow

constexpr std::int32_t kIdentity = 0;  // the group of labels that change and ask nothing
constexpr std::int32_t kRemoved = -1;

struct FactorTransition {
    std::int32_t from, to;
    friend auto operator<=>(const FactorTransition&, const FactorTransition&) = default;
};

// One factor. Labels with the same function are a group.
struct Factor {
    std::vector<std::int32_t> variables;  // sorted
    std::int32_t node;                    // of FactoredTask that numbers its states
    std::int32_t initial;                 // kRemoved if no state is left
    bool has_goal_variable = false;
    std::vector<bool> is_goal;
    std::vector<Distance> goal_distance;
    std::vector<std::vector<FactorTransition>> groups;  // sorted by `from`; kIdentity has none
    std::vector<std::int32_t> group_of;                 // by label

    std::size_t num_states() const { return is_goal.size(); }
    std::size_t size_of(std::int32_t group) const {
        return group == kIdentity ? num_states() : groups[static_cast<std::size_t>(group)].size();
    }
};

struct MergeOptions {
    std::int64_t max_transitions = 10'000;  // of a merged factor, estimated; 0: no merging
    std::int64_t max_states = 50'000;
};

// Two factors that became one, by their places at that time; the second one vanishes.
struct Merge {
    std::int32_t first, second;
};

class FactoredTask {
  public:
    FactoredTask(const FdrTask& task, std::vector<Label> labels, WorkMeter& meter);

    // Merges the pair that DFP prefers until the limits leave none.
    void merge_dfp(const MergeOptions& options, WorkMeter& meter);
    // Repeats merges that were made before.
    void merge_again(std::span<const Merge> merges, WorkMeter& meter);
    const std::vector<Merge>& merges() const { return merges_; }

    const std::vector<Factor>& factors() const { return factors_; }
    const std::vector<Label>& labels() const { return labels_; }
    bool is_alive(std::size_t label) const { return alive_[label]; }
    // The factors in which the label is not the identity.
    const std::vector<std::int32_t>& touched(std::size_t label) const { return touched_[label]; }

    // Writes the state of each factor, kRemoved where it was pruned.
    void locate(StateView state, std::span<std::int32_t> places) const;
    // The values of the factor's variables in each of its states, row by row.
    std::vector<Value> states(const Factor& factor) const;

  private:
    // Numbers the states of a factor: by a variable's value, or by the states of two others.
    struct Node {
        std::int32_t variable;  // -1: of two nodes
        std::int32_t left = -1, right = -1;
        std::int32_t width = 0;  // states of `right`
        std::vector<std::int32_t> numbers;
    };
    struct Pair;

    void add_atomic(const FdrTask& task, std::int32_t variable);
    void merge(std::size_t first, std::size_t second, WorkMeter& meter);
    void prune(std::vector<std::size_t> changed, WorkMeter& meter);
    // Removes states and groups; returns whether a label died.
    bool prune_factor(std::size_t factor, WorkMeter& meter);
    std::vector<bool> reachable(const Factor& factor) const;
    void set_goal_distances(Factor& factor) const;
    void keep_states(Factor& factor, const std::vector<bool>& keep);
    void regroup(Factor& factor);
    void find_touched();
    std::vector<Pair> candidates(const MergeOptions& options, WorkMeter& meter) const;

    std::vector<Label> labels_;
    std::vector<bool> alive_;
    std::vector<std::vector<std::int32_t>> touched_;
    std::vector<Node> nodes_;
    std::vector<Factor> factors_;
    std::vector<Merge> merges_;
};

}  // namespace bugsieve
