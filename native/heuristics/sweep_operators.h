// The operators of a relaxation, rewritten so that sweeps over them have less to do.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "basis/budget.h"
#include "tasks/fdr_task.h"

namespace bugsieve {

struct Relaxation;

// Gives all facts of the relaxation the h^max and h^add values they have there. Nothing else is
// the same: operators are missing, and others stand for many of them.
struct SweepOperators {
    static constexpr std::int32_t kFree = -1;

    std::int32_t num_facts = 0;  // those of the relaxation, then auxiliary ones
    Lists<std::int32_t> preconditions;
    Lists<std::int32_t> effects;
    std::vector<std::int32_t> priced_like;  // the relaxed operator of the same cost, or kFree

    std::size_t size() const { return priced_like.size(); }
    void add(std::span<const std::int32_t> needed, std::span<const std::int32_t> achieved,
             std::int32_t price) {
        preconditions.items.insert(preconditions.items.end(), needed.begin(), needed.end());
        preconditions.close();
        effects.items.insert(effects.items.end(), achieved.begin(), achieved.end());
        effects.close();
        priced_like.push_back(price);
    }
};

// `facts` are the numbers of those that are true at first; sweeps are quick from states like that.
SweepOperators sweep_operators(const Relaxation& relaxation, std::span<const std::int32_t> facts,
                               Interrupts& interrupts);

}  // namespace bugsieve
