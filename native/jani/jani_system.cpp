#include "jani/jani_system.h"

#include <algorithm>
#include <span>

namespace bugsieve::jani {

TransitionSystem::Kind JaniSystem::classify(const std::uint64_t* state) {
    load(state);
    const Place place{state, nullptr};
    if (test(model_->unsafe, place)) return Kind::kUnsafe;
    return test(model_->goal, place) ? Kind::kGoal : Kind::kOrdinary;
}

bool JaniSystem::holds(std::uint32_t condition, const std::uint64_t* state) {
    load(state);
    return test(condition, {state, nullptr});
}

double JaniSystem::distance(const std::uint64_t* state) {
    if (model_->distance == kNoProgram) return 0;
    holds(model_->distance, state);
    return registers_[model_->distance_register].real;
}

bool JaniSystem::test(std::uint32_t program, const Place& place) {
    const Ending ending = run(model_->program, program, registers_.data());
    if (ending > Ending::kTrue) [[unlikely]]
        fail(ending, place);
    return ending == Ending::kTrue;
}

bool JaniSystem::is_enabled(const EdgeIndex::Candidate& candidate, const Place& place) {
    const RangeTest* tests = model_->index.tests();
    for (std::uint32_t t = candidate.begin; t < candidate.end; ++t)
        if (!tests[t].holds(registers_.data())) return false;
    return place.edge->guard == kNoProgram || test(place.edge->guard, place);
}

void JaniSystem::expand(const std::uint64_t* state, Expansion& out) {
    out.actions.clear();
    out.offsets.clear();
    out.outcomes.clear();
    load(state);
    const std::size_t width = words();
    std::size_t first = 0;  // the first outcome of the present action
    for (const EdgeIndex::Candidate& candidate : model_->index.candidates(registers_.data())) {
        const CompiledModel::Edge& edge = model_->edges[candidate.edge];
        const Place place{state, &edge};
        if (!is_enabled(candidate, place)) continue;
        if (out.actions.empty() || out.actions.back() != edge.action) {
            first = out.outcomes.size();
            out.actions.push_back(edge.action);
            out.offsets.push_back(static_cast<std::uint32_t>(first / width));
        }
        add_outcomes(place, first, out.outcomes);
    }
    out.offsets.push_back(static_cast<std::uint32_t>(out.outcomes.size() / width));
}

void JaniSystem::outcomes(const std::uint64_t* state, std::int32_t action,
                          std::vector<std::uint64_t>& out) {
    out.clear();
    load(state);
    for (const EdgeIndex::Candidate& candidate : model_->index.candidates(registers_.data())) {
        const CompiledModel::Edge& edge = model_->edges[candidate.edge];
        if (edge.action != action) continue;
        const Place place{state, &edge};
        if (is_enabled(candidate, place)) add_outcomes(place, 0, out);
    }
}

bool JaniSystem::draw_outcome(const std::uint64_t* state, std::int32_t action, double draw,
                              std::vector<std::uint64_t>& out) {
    out.clear();
    enabled_.clear();
    load(state);
    for (const EdgeIndex::Candidate& candidate : model_->index.candidates(registers_.data())) {
        const CompiledModel::Edge& edge = model_->edges[candidate.edge];
        if (edge.action == action && is_enabled(candidate, {state, &edge}))
            enabled_.push_back(&edge);
    }
    if (enabled_.empty()) return false;
    // The rest of the draw, after it has chosen the edge, is a draw for the destination.
    const double scaled = draw * static_cast<double>(enabled_.size());
    const std::size_t chosen = std::min(static_cast<std::size_t>(scaled), enabled_.size() - 1);
    const Place place{state, enabled_[chosen]};
    add_outcome(draw_destination(place, scaled - static_cast<double>(chosen)), place, 0, out);
    return true;
}

double JaniSystem::weight(const CompiledModel::Destination& destination, const Place& place) {
    if (destination.probability_program == kNoProgram) return destination.weight;
    return is_possible(destination, place) ? registers_[destination.probability].real : 0;
}

const CompiledModel::Destination& JaniSystem::draw_destination(const Place& place, double draw) {
    weights_.clear();
    double total = 0;
    for (std::uint32_t d = place.edge->begin; d < place.edge->end; ++d) {
        weights_.push_back(weight(model_->destinations[d], place));
        total += weights_.back();
    }
    if (!(total > 0)) [[unlikely]]
        fail(Ending::kNoOutcome, place);
    std::size_t last = 0;  // the last one that is possible takes what rounding leaves
    double rest = draw * total;
    for (std::size_t k = 0; k < weights_.size(); ++k) {
        if (!(weights_[k] > 0)) continue;
        last = k;
        if (rest < weights_[k]) break;
        rest -= weights_[k];
    }
    return model_->destinations[place.edge->begin + last];
}

// Appends the outcomes of an enabled edge; those of its action begin at `first`.
void JaniSystem::add_outcomes(const Place& place, std::size_t first,
                              std::vector<std::uint64_t>& outcomes) {
    bool is_certain = false;
    for (std::uint32_t d = place.edge->begin; d < place.edge->end; ++d) {
        const CompiledModel::Destination& destination = model_->destinations[d];
        if (!is_possible(destination, place)) continue;
        is_certain = true;
        add_outcome(destination, place, first, outcomes);
    }
    if (!is_certain) [[unlikely]]
        fail(Ending::kNoOutcome, place);
}

void JaniSystem::applicable(const std::uint64_t* state, std::vector<std::int32_t>& actions) {
    actions.clear();
    load(state);
    for (const EdgeIndex::Candidate& candidate : model_->index.candidates(registers_.data())) {
        const CompiledModel::Edge& edge = model_->edges[candidate.edge];
        if (!actions.empty() && actions.back() == edge.action) continue;
        if (is_enabled(candidate, {state, &edge})) actions.push_back(edge.action);
    }
}

bool JaniSystem::has_action(const std::uint64_t* state) {
    load(state);
    for (const EdgeIndex::Candidate& candidate : model_->index.candidates(registers_.data()))
        if (is_enabled(candidate, {state, &model_->edges[candidate.edge]})) return true;
    return false;
}

bool JaniSystem::is_possible(const CompiledModel::Destination& destination, const Place& place) {
    if (destination.probability_program == kNoProgram) return true;
    test(destination.probability_program, place);
    const double probability = registers_[destination.probability].real;
    if (!(probability >= 0 && probability <= 1))
        fail(Ending::kBadProbability, place, -1, probability);
    return probability > 0;
}

// Appends the outcome unless the action has it already.
void JaniSystem::add_outcome(const CompiledModel::Destination& destination, const Place& place,
                             std::size_t first, std::vector<std::uint64_t>& outcomes) {
    if (destination.conflict >= 0) [[unlikely]]
        fail(Ending::kConflict, place, destination.conflict);
    const std::size_t width = words();
    const std::size_t size = outcomes.size();
    outcomes.resize(size + width);
    std::uint64_t* outcome = outcomes.data() + size;
    std::copy_n(place.state, width, outcome);
    for (std::uint32_t s = destination.begin; s < destination.end; ++s) {
        take_step(model_->steps[s], place, outcome);
        if (s + 1 < destination.end) keep_stored_values(model_->steps[s]);
    }
    if (destination.end - destination.begin > 1) restore(place.state);
    for (const std::uint64_t* other = outcomes.data() + first; other < outcome; other += width)
        if (std::equal(other, other + width, outcome)) {
            outcomes.resize(size);
            return;
        }
}

// The registers of the variables stay as they are, so that all values come from before the step.
void JaniSystem::take_step(const CompiledModel::Step& step, const Place& place,
                           std::uint64_t* outcome) {
    if (step.program != kNoProgram) test(step.program, place);
    for (std::uint32_t k = step.begin; k < step.end; ++k) {
        const CompiledModel::Store& store = model_->stores[k];
        Word value = registers_[store.source];
        if (store.is_real) {
            value.real += 0.0;  // makes one zero of both, so that equal states have equal words
            if (!(store.lower.real <= value.real && value.real <= store.upper.real)) [[unlikely]]
                fail(Ending::kOutOfBounds, place, static_cast<std::int32_t>(store.variable),
                     value.real);
        } else if (store.is_checked && (value.integer < store.lower.integer ||
                                        value.integer > store.upper.integer)) [[unlikely]] {
            fail(Ending::kOutOfBounds, place, static_cast<std::int32_t>(store.variable),
                 static_cast<double>(value.integer));
        }
        if (store.is_in_state) model_->packing.set(outcome, store.variable, value);
    }
}

void JaniSystem::keep_stored_values(const CompiledModel::Step& step) {
    const auto stores = std::span(model_->stores).subspan(step.begin, step.end - step.begin);
    stored_.clear();
    for (const CompiledModel::Store& store : stores) stored_.push_back(registers_[store.source]);
    for (std::size_t k = 0; k < stores.size(); ++k) registers_[stores[k].variable] = stored_[k];
}

void JaniSystem::restore(const std::uint64_t* state) {
    std::copy_n(model_->registers.begin(), model_->variables.size(), registers_.begin());
    load(state);
}

void JaniSystem::fail(Ending kind, const Place& place, std::int32_t variable, double value) {
    restore(place.state);  // a step may have left its values behind
    Fault fault;
    fault.kind = kind;
    fault.edge = place.edge == nullptr ? -1 : place.edge->number;
    fault.variable = variable;
    fault.value = value;
    for (std::size_t v = 0; v < model_->variables.size(); ++v) {
        if (!model_->variables[v].is_in_state) continue;
        fault.state.push_back(model_->variables[v].is_real
                                  ? registers_[v].real
                                  : static_cast<double>(registers_[v].integer));
    }
    throw fault;
}

}  // namespace bugsieve::jani
