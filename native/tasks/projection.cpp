#include "tasks/projection.h"

#include <algorithm>

namespace bugsieve {

namespace {

std::vector<bool> mattering_variables(const FdrTask& task) {
    struct Change {
        std::size_t op;
        std::int32_t conditions;
    };
    std::vector<std::vector<Change>> changes(task.num_variables());
    for (std::size_t op = 0; op < task.num_operators(); ++op)
        for (const Effect& effect : task.effects[op])
            changes[static_cast<std::size_t>(effect.fact.variable)].push_back(
                {op, effect.conditions});
    std::vector<bool> matters(task.num_variables(), false);
    std::vector<bool> seen(task.num_operators(), false);
    std::vector<std::size_t> open;
    const auto mark = [&](std::span<const Fact> facts) {
        for (const Fact& fact : facts) {
            const auto v = static_cast<std::size_t>(fact.variable);
            if (matters[v]) continue;
            matters[v] = true;
            open.push_back(v);
        }
    };
    mark(task.goal);
    while (!open.empty()) {
        const std::size_t variable = open.back();
        open.pop_back();
        for (const Change& change : changes[variable]) {
            mark(task.conditions[static_cast<std::size_t>(change.conditions)]);
            if (!seen[change.op]) mark(task.preconditions[change.op]);
            seen[change.op] = true;
        }
    }
    return matters;
}

}  // namespace

std::vector<Value> Projection::project(StateView state) const {
    std::vector<Value> kept;
    for (const std::size_t v : variables) kept.push_back(state[v]);
    return kept;
}

std::optional<Projection> project(const FdrTask& task) {
    const auto matters = mattering_variables(task);
    if (std::all_of(matters.begin(), matters.end(), [](bool m) { return m; })) return std::nullopt;
    Projection result;
    FdrTask& kept = result.task;
    std::vector<std::int32_t> renamed(task.num_variables(), -1);
    for (std::size_t v = 0; v < task.num_variables(); ++v) {
        if (!matters[v]) continue;
        renamed[v] = static_cast<std::int32_t>(result.variables.size());
        result.variables.push_back(v);
        kept.domain_sizes.push_back(task.domain_size(v));
        kept.initial_state.push_back(task.initial_state[v]);
    }
    const auto rename = [&](const Fact& fact) {
        return Fact{renamed[static_cast<std::size_t>(fact.variable)], fact.value};
    };
    for (const Fact& fact : task.goal) kept.goal.push_back(rename(fact));
    kept.uses_costs = task.uses_costs;
    kept.conditions.close();
    for (std::size_t op = 0; op < task.num_operators(); ++op) {
        const std::size_t effects_before = kept.effects.items.size();
        for (const Effect& effect : task.effects[op]) {
            if (!matters[static_cast<std::size_t>(effect.fact.variable)]) continue;
            std::int32_t condition = 0;
            if (effect.conditions != 0) {
                for (const Fact& fact :
                     task.conditions[static_cast<std::size_t>(effect.conditions)])
                    kept.conditions.items.push_back(rename(fact));
                kept.conditions.close();
                condition = static_cast<std::int32_t>(kept.conditions.size()) - 1;
                kept.has_conditional_effects = true;
            }
            kept.effects.items.push_back({condition, rename(effect.fact)});
        }
        if (kept.effects.items.size() == effects_before) continue;
        kept.effects.close();
        for (const Fact& fact : task.preconditions[op])
            kept.preconditions.items.push_back(rename(fact));
        kept.preconditions.close();
        kept.costs.push_back(task.costs[op]);
        result.operators.push_back(static_cast<std::int32_t>(op));
    }
    return result;
}

}  // namespace bugsieve
