#include "policies/relational_values.h"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>

namespace bugsieve {

namespace {

constexpr std::size_t kStatesAtOnce = 4096;    // looked up together
constexpr std::size_t kMessagesAtOnce = 2048;  // so that those of 64 numbers stay in the cache

}  // namespace

void RelationalAtoms::check(const FdrTask& task, const RelationalNetwork& network) const {
    bool fits = objects > 0 && relations.size() == arguments.size() &&
                of_values.size() == task.num_variables();
    for (std::size_t atom = 0; fits && atom < relations.size(); ++atom)
        fits = relations[atom] < network.relations().size() &&
               network.relations()[relations[atom]].arity == arguments[atom].size();
    for (const std::uint32_t object : arguments.items) fits = fits && object < objects;
    for (const std::uint32_t atom : always) fits = fits && atom < relations.size();
    for (std::size_t v = 0; fits && v < of_values.size(); ++v) {
        fits = of_values[v].size() == static_cast<std::size_t>(task.domain_sizes[v]);
        for (const std::uint32_t atom : of_values[v])
            fits = fits && (atom == kNoAtom || atom < relations.size());
    }
    if (!fits) throw std::invalid_argument("the atoms fit neither the task nor the network");
}

RelationalValues::RelationalValues(const SearchTask& task,
                                   std::shared_ptr<const RelationalNetwork> network,
                                   RelationalAtoms atoms,
                                   NetworkEvaluator::Instructions instructions,
                                   std::size_t max_bytes)
    : task_(task),
      atoms_(std::move(atoms)),
      evaluator_(std::move(network), atoms_.objects, instructions),
      cache_(task.packing(), max_bytes) {}

StateView RelationalValues::row(std::span<const Value> states, std::size_t number) const {
    const std::size_t width = task_.fdr().num_variables();
    return states.subspan(number * width, width);
}

// Atoms that are always true first: they are in the same order in all states.
void RelationalValues::add_graph(StateView state) {
    const auto add = [&](std::uint32_t atom) {
        evaluator_.add_atom(atoms_.relations[atom], atoms_.arguments[atom]);
    };
    for (const std::uint32_t atom : atoms_.always) add(atom);
    for (std::size_t v = 0; v < state.size(); ++v)
        if (const std::uint32_t atom = atoms_.of_values[v][state[v]];
            atom != RelationalAtoms::kNoAtom)
            add(atom);
    evaluator_.close_graph();
}

void RelationalValues::of_states(std::span<const Value> states, std::span<float> values,
                                 Interrupts& interrupts) {
    std::vector<Word> packed(task_.packing().words());
    for (std::size_t begin = 0; begin < values.size(); begin += kStatesAtOnce) {
        const std::size_t end = std::min(begin + kStatesAtOnce, values.size());
        std::vector<std::uint32_t> places;
        std::vector<Value> unknown;
        cache_.start_batch();
        for (std::size_t i = begin; i < end; ++i) {
            const StateView state = row(states, i);
            task_.packing().pack(state, packed.data());
            const auto [place, is_waiting] = cache_.note(packed.data());
            places.push_back(place);
            if (is_waiting) unknown.insert(unknown.end(), state.begin(), state.end());
        }
        std::vector<float> found(cache_.num_waiting());
        evaluate(unknown, found, interrupts);
        // The cache holds whole numbers from 0 on; so are the bits of a float without its sign.
        std::vector<std::int32_t> bits;
        for (const float value : found) bits.push_back(std::bit_cast<std::int32_t>(value));
        cache_.supply(bits);
        for (std::size_t i = begin; i < end; ++i)
            values[i] = std::bit_cast<float>(cache_.value(places[i - begin]));
    }
}

void RelationalValues::evaluate(std::span<const Value> states, std::span<float> values,
                                Interrupts& interrupts) {
    for (std::size_t at = 0; at < values.size();) {
        evaluator_.clear();
        const std::size_t first = at;
        do {
            add_graph(row(states, at++));
            evaluator_.close_group();
        } while (at < values.size() && evaluator_.messages() < kMessagesAtOnce);
        evaluator_.run(values.subspan(first, at - first), interrupts);
    }
}

void RelationalValues::of_groups(std::span<const Value> states, std::span<const std::size_t> ends,
                                 std::span<float> values, Interrupts& interrupts) {
    std::size_t at = 0;
    for (std::size_t group = 0; group < ends.size();) {
        evaluator_.clear();
        const std::size_t first = at;
        do {
            while (at < ends[group]) add_graph(row(states, at++));
            evaluator_.close_group();
            ++group;
        } while (group < ends.size() && evaluator_.messages() < kMessagesAtOnce);
        evaluator_.run(values.subspan(first, at - first), interrupts);
    }
}

}  // namespace bugsieve
