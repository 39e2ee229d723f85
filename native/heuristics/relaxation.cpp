#include "heuristics/relaxation.h"

#include <algorithm>
#include <map>

#include "heuristics/first_layers.h"

namespace bugsieve {

// A relaxed operator while facts still have their numbers in the task (position in
// fact_numbers_).
struct Relaxation::Draft {
    std::int32_t op;
    std::vector<std::int32_t> preconditions;
    std::vector<std::pair<std::int32_t, std::int32_t>> effects;  // fact, index within operator
};

namespace {

bool contains(const std::vector<std::int32_t>& sorted, std::int32_t item) {
    return std::binary_search(sorted.begin(), sorted.end(), item);
}

}  // namespace

Relaxation::Relaxation(const FdrTask& task, std::span<const Fact> goal_facts,
                       Interrupts& interrupts) {
    std::size_t facts = 0;
    for (std::size_t v = 0; v < task.num_variables(); ++v) {
        first_fact_.push_back(facts);
        facts += static_cast<std::size_t>(task.domain_size(v));
    }
    fact_numbers_.assign(facts, -1);
    std::vector<Draft> drafts = draft_operators(task, interrupts);
    number_relevant_facts(goal_facts, drafts, interrupts);
    drop_irrelevant_effects(drafts, interrupts);
    drop_repetitions(task, drafts, interrupts);
    order_by_first_use(task, drafts, interrupts);
    store(task, drafts, interrupts);
    for_sweeps = sweep_operators(*this, facts_of(task.initial_state), interrupts);
}

std::vector<std::int32_t> Relaxation::facts_of(StateView state) const {
    std::vector<std::int32_t> facts;
    for_each_fact(state, [&](std::int32_t fact) { facts.push_back(fact); });
    return facts;
}

std::vector<Relaxation::Draft> Relaxation::draft_operators(const FdrTask& task,
                                                           Interrupts& interrupts) const {
    const auto position = [&](const Fact& fact) {
        return static_cast<std::int32_t>(first_fact_[static_cast<std::size_t>(fact.variable)]) +
               fact.value;
    };
    std::vector<Draft> drafts;
    for (std::size_t op = 0; op < task.num_operators(); ++op) {
        interrupts.check();
        std::map<std::vector<std::int32_t>, std::size_t> by_condition;
        const auto effects = task.effects[op];
        for (std::size_t i = 0; i < effects.size(); ++i) {
            std::vector<std::int32_t> needed;
            for (const Fact& fact : task.preconditions[op]) needed.push_back(position(fact));
            for (const Fact& fact :
                 task.conditions[static_cast<std::size_t>(effects[i].conditions)])
                needed.push_back(position(fact));
            std::sort(needed.begin(), needed.end());
            needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
            const std::int32_t effect = position(effects[i].fact);
            if (contains(needed, effect)) continue;
            const auto [entry, is_new] = by_condition.try_emplace(needed, drafts.size());
            if (is_new) drafts.push_back({static_cast<std::int32_t>(op), std::move(needed), {}});
            drafts[entry->second].effects.emplace_back(effect, static_cast<std::int32_t>(i));
        }
    }
    return drafts;
}

// Walks back from the goal and numbers the facts met.
void Relaxation::number_relevant_facts(std::span<const Fact> goal_facts,
                                       const std::vector<Draft>& drafts, Interrupts& interrupts) {
    Lists<std::int32_t> effects;
    for (const Draft& draft : drafts) {
        interrupts.check();
        for (const auto& [fact, index] : draft.effects) effects.items.push_back(fact);
        effects.close();
    }
    const Lists<std::int32_t> achieved_by = inverted(effects, fact_numbers_.size());
    std::vector<std::int32_t> open;
    const auto mark = [&](std::int32_t fact) {
        if (fact_numbers_[static_cast<std::size_t>(fact)] >= 0) return;
        fact_numbers_[static_cast<std::size_t>(fact)] = num_facts++;
        open.push_back(fact);
    };
    for (const Fact& fact : goal_facts)
        mark(static_cast<std::int32_t>(first_fact_[static_cast<std::size_t>(fact.variable)]) +
             fact.value);
    while (!open.empty()) {
        interrupts.check();
        const std::int32_t fact = open.back();
        open.pop_back();
        for (const std::int32_t draft : achieved_by[static_cast<std::size_t>(fact)])
            for (const std::int32_t needed : drafts[static_cast<std::size_t>(draft)].preconditions)
                mark(needed);
    }
    for (const Fact& fact : goal_facts)
        goal.push_back(
            number(static_cast<std::size_t>(fact.variable), static_cast<Value>(fact.value)));
}

void Relaxation::drop_irrelevant_effects(std::vector<Draft>& drafts,
                                         Interrupts& interrupts) const {
    const auto renumber = [&](std::int32_t& fact) {
        fact = fact_numbers_[static_cast<std::size_t>(fact)];
    };
    for (Draft& draft : drafts) {
        interrupts.check();
        for (auto& [fact, index] : draft.effects) renumber(fact);
        std::erase_if(draft.effects, [](const auto& effect) { return effect.first < 0; });
        std::sort(draft.effects.begin(), draft.effects.end());
        const auto same_fact = [](const auto& a, const auto& b) { return a.first == b.first; };
        draft.effects.erase(std::unique(draft.effects.begin(), draft.effects.end(), same_fact),
                            draft.effects.end());
        if (draft.effects.empty()) continue;  // its preconditions may not be numbered
        for (std::int32_t& fact : draft.preconditions) renumber(fact);
        std::sort(draft.preconditions.begin(), draft.preconditions.end());
    }
    std::erase_if(drafts, [](const Draft& draft) { return draft.effects.empty(); });
}

// Of operators that have become equal, keeps the first unless a later one is cheaper. A part of an
// operator with several is always kept: the other parts tell it apart, and LM-cut must see it.
void Relaxation::drop_repetitions(const FdrTask& task, std::vector<Draft>& drafts,
                                  Interrupts& interrupts) const {
    std::vector<std::int32_t> parts(task.num_operators(), 0);
    for (const Draft& draft : drafts) ++parts[static_cast<std::size_t>(draft.op)];
    std::map<std::pair<std::vector<std::int32_t>, std::vector<std::int32_t>>, std::int32_t> seen;
    std::erase_if(drafts, [&](const Draft& draft) {
        interrupts.check();
        const auto op = static_cast<std::size_t>(draft.op);
        std::vector<std::int32_t> facts;
        for (const auto& [fact, index] : draft.effects) facts.push_back(fact);
        const auto [entry, is_new] =
            seen.try_emplace({draft.preconditions, std::move(facts)}, task.costs[op]);
        if (!is_new && entry->second <= task.costs[op]) return parts[op] == 1;
        entry->second = task.costs[op];
        return false;
    });
}

// Sorts the operators by the layer in which they first apply from the initial state. Sweeps over
// the operators in this order reach their fix-point in few rounds.
void Relaxation::order_by_first_use(const FdrTask& task, std::vector<Draft>& drafts,
                                    Interrupts& interrupts) const {
    Lists<std::int32_t> needs, achieved;
    for (const Draft& draft : drafts) {
        interrupts.check();
        needs.items.insert(needs.items.end(), draft.preconditions.begin(),
                           draft.preconditions.end());
        needs.close();
        for (const auto& [fact, index] : draft.effects) achieved.items.push_back(fact);
        achieved.close();
    }
    const auto order = by_first_layer(needs, achieved, static_cast<std::size_t>(num_facts),
                                      facts_of(task.initial_state), interrupts);
    std::vector<Draft> sorted;
    sorted.reserve(drafts.size());
    for (const std::size_t i : order) sorted.push_back(std::move(drafts[i]));
    drafts = std::move(sorted);
}

void Relaxation::store(const FdrTask& task, const std::vector<Draft>& drafts,
                       Interrupts& interrupts) {
    const bool some_free_of_cost =
        std::any_of(task.costs.begin(), task.costs.end(), [](std::int32_t c) { return c == 0; });
    // Preference among achievers: operator, then effect within it.
    struct Achiever {
        std::int32_t fact, op, effect, relaxed;
        auto operator<=>(const Achiever&) const = default;
    };
    std::vector<Achiever> all;
    for (std::size_t i = 0; i < drafts.size(); ++i) {
        interrupts.check();
        const Draft& draft = drafts[i];
        const auto id = static_cast<std::int32_t>(i);
        preconditions.items.insert(preconditions.items.end(), draft.preconditions.begin(),
                                   draft.preconditions.end());
        preconditions.close();
        if (draft.preconditions.empty()) unconditional.push_back(id);
        most_preconditions =
            std::max(most_preconditions, static_cast<std::int32_t>(draft.preconditions.size()));
        for (const auto& [fact, index] : draft.effects) {
            effects.items.push_back(fact);
            all.push_back({fact, draft.op, index, id});
        }
        effects.close();
        const std::int32_t cost = task.costs[static_cast<std::size_t>(draft.op)];
        costs.push_back(cost);
        weights.push_back(some_free_of_cost ? std::int64_t{kWeightOfCost} * cost + 1 : cost);
        operators.push_back(draft.op);
    }
    needed_by = inverted(preconditions, static_cast<std::size_t>(num_facts));
    std::sort(all.begin(), all.end());
    std::int32_t fact = 0;
    for (const Achiever& achiever : all) {
        for (; fact < achiever.fact; ++fact) achievers.close();
        achievers.items.push_back(achiever.relaxed);
    }
    for (; fact < num_facts; ++fact) achievers.close();
}

}  // namespace bugsieve
