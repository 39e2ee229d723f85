// Finds the applicable operators of a state by walking a decision tree over the variables.
#pragma once

#include <cstdint>
#include <vector>

#include "tasks/fdr_task.h"

namespace bugsieve {

// The tree is one flat array. A node that tests a variable stores only the values that some
// operator below it requires, so its size is bounded by the preconditions, not by the domains.
class SuccessorGenerator {
  public:
    explicit SuccessorGenerator(const FdrTask& task);

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

}  // namespace bugsieve
