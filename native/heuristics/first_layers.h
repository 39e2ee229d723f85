// The order in which relaxed operators first apply.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "basis/budget.h"
#include "tasks/fdr_task.h"

namespace bugsieve {

// Inverts lists of items below `count`: result[i] is the lists that contain i, ascending.
Lists<std::int32_t> inverted(const Lists<std::int32_t>& lists, std::size_t count);

// The operators by the layer in which they first apply if `facts` are true, those that never do
// last; in a layer they keep their order.
std::vector<std::size_t> by_first_layer(const Lists<std::int32_t>& preconditions,
                                        const Lists<std::int32_t>& effects, std::size_t num_facts,
                                        std::span<const std::int32_t> facts,
                                        Interrupts& interrupts);

}  // namespace bugsieve
