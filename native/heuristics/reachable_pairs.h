// Forward h^2: which pairs of facts no relaxed state has, and which operators that rules out.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "basis/budget.h"
#include "tasks/fdr_task.h"

namespace bugsieve {

// A task of facts that are true or false. An operator first deletes, then adds.
struct StripsTask {
    std::size_t num_facts = 0;
    std::vector<std::int32_t> initial;
    Lists<std::int32_t> needs, adds, deletes;  // by operator

    // Throws std::invalid_argument where lists differ in length or facts are out of range.
    void check() const;
};

// For each operator whether forward h^2 reaches it: 1 or 0. Takes num_facts^2 bits.
std::vector<std::uint8_t> operators_reached_by_pairs(const StripsTask& task,
                                                     Interrupts& interrupts);

}  // namespace bugsieve
