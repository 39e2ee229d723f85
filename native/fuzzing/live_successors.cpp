#include "fuzzing/live_successors.h"

#include <algorithm>

namespace bugsieve {

namespace {

// Closes the gaps that dropped rows leave.
void drop_dead_ends(Successors& successors, std::span<const std::int32_t> values,
                    std::size_t width) {
    std::size_t kept = 0;
    std::size_t row = 0;
    for (std::size_t state = 1; state < successors.offsets.size(); ++state) {
        for (; row < static_cast<std::size_t>(successors.offsets[state]); ++row) {
            if (values[row] == kDeadEnd) continue;
            if (kept != row) {
                std::copy_n(&successors.states[row * width], width,
                            &successors.states[kept * width]);
                successors.operators[kept] = successors.operators[row];
            }
            ++kept;
        }
        successors.offsets[state] = static_cast<std::int64_t>(kept);
    }
    successors.states.resize(kept * width);
    successors.operators.resize(kept);
}

}  // namespace

Successors live_successors(const SearchTask& task, std::span<const Value> states,
                           Evaluator* heuristic, std::size_t max_rows, Interrupts& interrupts) {
    const FdrTask& fdr = task.fdr();
    const std::size_t width = fdr.num_variables();
    Successors found;
    for (std::size_t start = 0; start < states.size(); start += width) {
        interrupts.check();
        const StateView state = states.subspan(start, width);
        const std::size_t first = found.operators.size();
        task.generator().append_applicable(state, found.operators);
        for (std::size_t i = first; i < found.operators.size(); ++i) {
            found.states.insert(found.states.end(), state.begin(), state.end());
            Value* const successor = &found.states[i * width];
            fdr.for_each_assignment(state, static_cast<std::size_t>(found.operators[i]),
                                    [&](std::int32_t variable, std::int32_t value) {
                                        successor[variable] = static_cast<Value>(value);
                                    });
        }
        found.offsets.push_back(static_cast<std::int64_t>(found.operators.size()));
        if (found.operators.size() >= max_rows) break;
    }
    if (heuristic == nullptr) return found;
    std::vector<std::int32_t> values(found.operators.size());
    heuristic->evaluate(found.states, values, interrupts);
    drop_dead_ends(found, values, width);
    return found;
}

}  // namespace bugsieve
