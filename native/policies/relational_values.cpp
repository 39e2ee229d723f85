#include "policies/relational_values.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "basis/threads.h"

namespace bugsieve {

namespace {

constexpr std::size_t kStatesAtOnce = 4096;     // looked up together
constexpr std::size_t kMessagesAtOnce = 2048;   // so that those of 64 numbers stay in the cache
constexpr std::size_t kMessagesOfThread = 128;  // for several threads to gain: some milliseconds

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
                                   std::size_t threads, std::size_t max_bytes)
    : task_(task),
      network_(std::move(network)),
      atoms_(std::move(atoms)),
      instructions_(instructions),
      threads_(std::max<std::size_t>(threads, 1)),
      cache_(task.packing(), max_bytes) {}

StateView RelationalValues::row(std::span<const Value> states, std::size_t number) const {
    const std::size_t width = task_.fdr().num_variables();
    return states.subspan(number * width, width);
}

// Atoms that are always true first: they are in the same order in all states.
void RelationalValues::add_graph(StateView state, RelationalEvaluator& evaluator) const {
    const auto add = [&](std::uint32_t atom) {
        evaluator.add_atom(atoms_.relations[atom], atoms_.arguments[atom]);
    };
    for (const std::uint32_t atom : atoms_.always) add(atom);
    for (std::size_t v = 0; v < state.size(); ++v)
        if (const std::uint32_t atom = atoms_.of_values[v][state[v]];
            atom != RelationalAtoms::kNoAtom)
            add(atom);
    evaluator.close_graph();
}

// As many as `add_graph` adds.
std::size_t RelationalValues::messages(StateView state) const {
    std::size_t count = 0;
    for (const std::uint32_t atom : atoms_.always) count += atoms_.arguments[atom].size();
    for (std::size_t v = 0; v < state.size(); ++v)
        if (const std::uint32_t atom = atoms_.of_values[v][state[v]];
            atom != RelationalAtoms::kNoAtom)
            count += atoms_.arguments[atom].size();
    return count;
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
        std::vector<std::size_t> ends(found.size());
        std::iota(ends.begin(), ends.end(), std::size_t{1});
        of_groups(unknown, ends, found, interrupts);
        // The cache holds whole numbers from 0 on; so are the bits of a float without its sign.
        std::vector<std::int32_t> bits;
        for (const float value : found) bits.push_back(std::bit_cast<std::int32_t>(value));
        cache_.supply(bits);
        for (std::size_t i = begin; i < end; ++i)
            values[i] = std::bit_cast<float>(cache_.value(places[i - begin]));
    }
}

// Splits the groups into blocks that are evaluated at once: few enough messages each, and as many
// blocks for each thread; by group, where they end.
std::vector<std::size_t> RelationalValues::block_ends(std::span<const Value> states,
                                                      std::span<const std::size_t> ends) const {
    std::vector<std::size_t> sums;  // of the messages up to the end of each group
    for (std::size_t group = 0, at = 0, sum = 0; group < ends.size(); ++group) {
        for (; at < ends[group]; ++at) sum += messages(row(states, at));
        sums.push_back(sum);
    }
    const std::size_t total = sums.empty() ? 0 : sums.back();
    const std::size_t workers = std::clamp<std::size_t>(total / kMessagesOfThread, 1, threads_);
    const std::size_t rounds = total / (workers * kMessagesAtOnce) + 1;
    const std::size_t most = total / (rounds * workers) + 1;
    std::vector<std::size_t> blocks;
    for (std::size_t group = 0, before = 0; group < ends.size(); ++group)
        if (sums[group] - before >= most || group + 1 == ends.size()) {
            blocks.push_back(group + 1);
            before = sums[group];
        }
    return blocks;
}

void RelationalValues::add_evaluators(std::size_t count) {
    while (evaluators_.size() < count)
        evaluators_.emplace_back(network_, atoms_.objects, instructions_);
}

void RelationalValues::of_groups(std::span<const Value> states, std::span<const std::size_t> ends,
                                 std::span<float> values, Interrupts& interrupts) {
    const std::vector<std::size_t> blocks = block_ends(states, ends);
    const std::size_t workers = std::min(threads_, blocks.size());
    add_evaluators(workers);
    const auto evaluate = [&](std::size_t worker, std::size_t block, Interrupts& its_interrupts) {
        RelationalEvaluator& evaluator = evaluators_[worker];
        evaluator.clear();
        std::size_t group = block == 0 ? 0 : blocks[block - 1];
        const std::size_t first = group == 0 ? 0 : ends[group - 1];
        for (std::size_t at = first; group < blocks[block]; ++group) {
            while (at < ends[group]) add_graph(row(states, at++), evaluator);
            evaluator.close_group();
        }
        const std::size_t count = ends[blocks[block] - 1] - first;
        evaluator.run(values.subspan(first, count), its_interrupts);
    };
    share_items(blocks.size(), workers, interrupts, evaluate);
}

}  // namespace bugsieve
