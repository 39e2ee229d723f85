// Finds the applicable operators of a state.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tasks/applicability_masks.h"
#include "tasks/fdr_task.h"

namespace bugsieve {

// A decision tree over the variables in one flat array. A node that tests a variable stores only
// the values that some operator below it requires. So its size is bounded by the preconditions,
// not by the domains.
class DecisionTree {
  public:
    explicit DecisionTree(const FdrTask& task);

    // Appends the ids of the operators applicable in `state`, ascending.
    void append_applicable(StateView state, std::vector<std::int32_t>& operators) const;

    std::size_t bytes() const { return nodes_.capacity() * sizeof(std::int32_t); }

  private:
    // Node layouts, by their first number:
    //   kLeaf, next, count, operators...
    //   kSwitch, next, variable, count, values..., children...   (values ascending)
    //   kTable, next, variable, size, children by value...       (0: no child)
    // `next` is the node for the operators that do not test the variable; 0 is "none".
    enum Kind : std::int32_t { kLeaf, kSwitch, kTable };

    struct Range;
    void build(const FdrTask& task);
    void sort_ascending(std::vector<std::int32_t>& operators, std::size_t from) const;

    std::vector<std::int32_t> nodes_;
    std::size_t num_operators_ = 0;
};

// Masks where they stay small, a decision tree where they would not.
class SuccessorGenerator {
  public:
    // Measured on planning benchmarks: the tree takes over about here.
    static constexpr std::size_t kMaskLines = 200;
    static constexpr std::size_t kMaskBytes = std::size_t{1} << 18;

    SuccessorGenerator(const FdrTask& task, std::size_t max_mask_lines) {
        const auto size = ApplicabilityMasks::size_for(task);
        if (size.lines <= max_mask_lines && size.bytes <= kMaskBytes)
            masks_.emplace(task);
        else
            tree_.emplace(task);
    }

    // Appends the ids of the operators applicable in `state`, ascending.
    void append_applicable(StateView state, std::vector<std::int32_t>& operators) const {
        if (masks_)
            masks_->append_applicable(state, operators);
        else
            tree_->append_applicable(state, operators);
    }

    std::size_t bytes() const { return masks_ ? masks_->bytes() : tree_->bytes(); }

  private:
    std::optional<ApplicabilityMasks> masks_;
    std::optional<DecisionTree> tree_;
};

}  // namespace bugsieve
