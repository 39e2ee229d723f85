// The Bellman operator of papers/001, Section 6.1, on lower bounds that start at 0.
#pragma once

#include <algorithm>

#include "safety/values.h"

namespace bugsieve {

struct Backup {
    std::int32_t value;
    ActionCursor greedy;  // at the first of the best actions, before its outcomes
};

// Only for ordinary states; `actions` are those of the state. A state without any ends the run
// safely and has value 0.
inline Backup backup(Values& values, ActionCursor actions) {
    Backup best{actions.actions_left() == 0 ? 0 : values.worst(), actions};
    for (bool is_first = true; actions.next_action(); is_first = false) {
        ActionCursor outcomes = actions;
        std::int32_t value = values.cost(actions);
        const std::int32_t cost = value;
        const std::int32_t too_much = is_first ? values.worst() + 1 : best.value;
        while (outcomes.outcomes_left() > 0 && value < too_much) {
            const std::int32_t lower =
                std::min(values.lower(outcomes.next_outcome()), values.worst());
            value = std::max(value, cost + lower);
        }
        value = std::min(value, values.worst());
        if (is_first || value < best.value) best = {value, actions};
    }
    return best;
}

}  // namespace bugsieve
