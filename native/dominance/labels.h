// The labels of dominance functions: operators, split so that each is a partial function.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "tasks/fdr_task.h"

namespace bugsieve {

// The condition and the effect of a label on one variable.
struct Touch {
    std::int32_t variable;
    std::int32_t required = -1;          // -1: any value that is not excluded
    std::vector<std::int32_t> excluded;  // of a condition that must not hold
    std::int32_t target = -1;            // -1: stays as it is

    bool allows(std::int32_t value) const;
};

struct Label {
    std::int32_t op;
    std::int32_t cost;
    std::vector<Touch> touches;  // sorted by variable
};

// An operator's conditional effects depend on too many facts at once.
struct TooManyOutcomes : std::length_error {
    TooManyOutcomes(std::size_t op, std::size_t outcomes);
    std::size_t op;
};

constexpr std::size_t kMaxOutcomes = 64;

// The labels of all operators, in their order. An operator with conditional effects has one for
// each combination of values of the variables that its conditions name: the state decides between
// the effects, and not the actor.
std::vector<Label> split_into_labels(const FdrTask& task);

}  // namespace bugsieve
