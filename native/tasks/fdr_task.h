// A grounded task in finite-domain representation, stored flat. Read-only once built.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace bugsieve {

using Value = std::uint16_t;
using StateView = std::span<const Value>;

constexpr std::int32_t kNoOperator = -1;

struct Fact {
    std::int32_t variable;
    std::int32_t value;

    friend bool operator==(const Fact&, const Fact&) = default;
    friend auto operator<=>(const Fact&, const Fact&) = default;
};

inline bool holds(StateView state, const Fact& fact) {
    return state[static_cast<std::size_t>(fact.variable)] == fact.value;
}

inline bool hold(StateView state, std::span<const Fact> facts) {
    for (const Fact& fact : facts)
        if (!holds(state, fact)) return false;
    return true;
}

// Lists of T, one after the other: list i is items[starts[i]] to items[starts[i + 1]].
template <class T>
struct Lists {
    std::vector<std::int32_t> starts{0};
    std::vector<T> items;

    std::size_t size() const { return starts.size() - 1; }
    std::span<const T> operator[](std::size_t i) const {
        return {items.data() + starts[i], items.data() + starts[i + 1]};
    }
    void close() { starts.push_back(static_cast<std::int32_t>(items.size())); }
    std::size_t bytes() const {
        return starts.capacity() * sizeof(std::int32_t) + items.capacity() * sizeof(T);
    }
};

struct Effect {
    std::int32_t conditions;  // index into FdrTask::conditions
    Fact fact;
};

struct FdrTask {
    std::vector<std::int32_t> domain_sizes;
    std::vector<std::string> variable_names;
    std::vector<std::vector<std::string>> fact_names;
    std::vector<std::vector<Fact>> mutex_groups;
    std::vector<Value> initial_state;
    std::vector<Fact> goal;

    std::vector<std::string> operator_names;
    std::vector<std::int32_t> written_costs;  // as in the file
    std::vector<std::int32_t> costs;          // 1 everywhere when the task has no metric
    Lists<Fact> preconditions;                // sorted by variable, one fact a variable
    Lists<Effect> effects;                    // a later effect on the same variable wins
    Lists<Fact> conditions;                   // list 0 is the empty condition

    bool uses_costs = false;
    bool has_conditional_effects = false;

    std::size_t num_variables() const { return domain_sizes.size(); }
    std::size_t num_operators() const { return costs.size(); }
    std::int32_t domain_size(std::size_t variable) const { return domain_sizes[variable]; }
    bool is_goal(StateView state) const { return hold(state, goal); }
    bool is_applicable(StateView state, std::size_t op) const {
        return hold(state, preconditions[op]);
    }
    // Calls assign(variable, value) for every effect that fires in `state`, in order.
    template <class Assign>
    void for_each_assignment(StateView state, std::size_t op, Assign assign) const {
        for (const Effect& effect : effects[op])
            if (effect.conditions == 0 ||
                hold(state, conditions[static_cast<std::size_t>(effect.conditions)]))
                assign(effect.fact.variable, effect.fact.value);
    }
};

// A hash of the values alone: the same on every machine and for every packing.
std::uint64_t content_hash(StateView state);

}  // namespace bugsieve
