// Finds the edges that can be enabled in a state: a decision tree over small integer variables.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "jani/machine.h"

namespace bugsieve::jani {

// Holds if the variable lies between the bounds.
struct RangeTest {
    std::uint32_t variable;
    std::int64_t lower, upper;

    bool holds(const Word* values) const {
        return static_cast<std::uint64_t>(values[variable].integer) -
                   static_cast<std::uint64_t>(lower) <=
               static_cast<std::uint64_t>(upper) - static_cast<std::uint64_t>(lower);
    }
};

class EdgeIndex {
  public:
    // An edge with the tests that the way to it has not answered.
    struct Candidate {
        std::uint32_t edge;
        std::uint32_t begin, end;  // into tests()
    };
    struct Domain {
        std::int64_t lower;
        std::uint64_t size;  // 0: too large to branch over
    };

    // `tests[e]` must all hold where edge e is enabled, at most one per variable; edges are
    // listed in the order of `tests`.
    EdgeIndex(const std::vector<std::vector<RangeTest>>& tests, std::span<const Domain> domains);

    std::span<const Candidate> candidates(const Word* values) const {
        const TreeNode* node = nodes_.data();
        while (node->num_children > 0) {
            const std::uint64_t value =
                values[node->variable].bits - static_cast<std::uint64_t>(node->lower);
            node = &nodes_[node->first + value];
        }
        return {candidates_.data() + node->first, node->num_candidates};
    }
    const RangeTest* tests() const { return tests_.data(); }

  private:
    struct TreeNode {
        std::uint32_t num_children;  // 0: a leaf
        std::uint32_t variable;
        std::int64_t lower;
        std::uint32_t first;  // child or candidate
        std::uint32_t num_candidates;
    };
    class Builder;

    std::vector<TreeNode> nodes_;
    std::vector<Candidate> candidates_;
    std::vector<RangeTest> tests_;
};

}  // namespace bugsieve::jani
