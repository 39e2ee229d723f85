// All states that can be reached, of every kind: the size of a model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "safety/meter.h"
#include "safety/transition_system.h"

namespace bugsieve {

struct Exploration {
    std::size_t states = 0;
    std::size_t choices = 0;   // applicable actions, of all states
    std::size_t outcomes = 0;  // of all choices
    std::size_t bytes = 0;     // that states and transitions take
};

// From the states in `rows`, which follow each other. Throws LimitReached.
Exploration explore(TransitionSystem& system, std::span<const std::uint64_t> rows, Meter& meter);

}  // namespace bugsieve
