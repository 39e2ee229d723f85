#include "heuristics/path_distances.h"

#include <algorithm>

#include "heuristics/supporters.h"

namespace bugsieve {

Relaxation relax_towards_all_facts(const FdrTask& task, Interrupts& interrupts) {
    std::vector<Fact> facts;
    for (std::size_t v = 0; v < task.num_variables(); ++v)
        for (std::int32_t value = 0; value < task.domain_size(v); ++value)
            facts.push_back({static_cast<std::int32_t>(v), value});
    return Relaxation(task, facts, interrupts);
}

PathDistances::PathDistances(const FdrTask& task, const Relaxation& relaxation)
    : relaxation_(relaxation),
      width_(task.num_variables()),
      explorer_(relaxation, relaxation.weights),
      supports_(static_cast<std::size_t>(relaxation.num_facts)),
      met_(supports_.size()),
      counted_(task.num_operators()),
      open_(supports_.size() + 1) {}

void PathDistances::hff(std::span<const Value> sources, std::span<const Value> targets,
                        std::span<const std::int64_t> offsets, std::span<std::int32_t> distances,
                        Interrupts& interrupts) {
    explorer_.explore(
        sources, offsets.size() - 1, Combine::kSum, ScalarExploration::Extent::kAllFacts,
        interrupts, [&](std::size_t row, const auto& value) {
            start_source();
            const StateView source = sources.subspan(row * width_, width_);
            const auto end = static_cast<std::size_t>(offsets[row + 1]);
            for (auto t = static_cast<std::size_t>(offsets[row]); t < end; ++t) {
                if (t % 256 == 0) interrupts.check();
                distances[t] = distance(source, targets.subspan(t * width_, width_), value);
            }
        });
}

void PathDistances::start_source() {
    needs_.clear();
    if (++source_ != 0) return;
    for (Support& support : supports_) support.source = 0;
    source_ = 1;
}

// Puts the facts of the target that are false in the source into open_; returns how many.
std::size_t PathDistances::start_target(StateView source, StateView target) {
    if (++target_ == 0) {
        std::fill(met_.begin(), met_.end(), 0u);
        std::fill(counted_.begin(), counted_.end(), 0u);
        target_ = 1;
    }
    std::size_t count = 0;
    for (std::size_t v = 0; v < width_; ++v) {  // without branches: they would be unpredictable
        open_[count] = relaxation_.number(v, target[v]);
        count += source[v] != target[v];
    }
    for (std::size_t i = 0; i < count; ++i) met_[static_cast<std::size_t>(open_[i])] = target_;
    return count;
}

template <class ValueOf>
std::int32_t PathDistances::distance(StateView source, StateView target, const ValueOf& value) {
    std::size_t count = start_target(source, target);
    std::int64_t cost = 0;
    while (count > 0) {
        const Support& found = support(open_[--count], value);
        if (found.op == kNoOperator) return kDeadEnd;
        for (std::uint32_t i = found.needs_begin; i < found.needs_end; ++i) {
            std::uint32_t& met = met_[static_cast<std::size_t>(needs_[i])];
            open_[count] = needs_[i];
            count += met != target_;
            met = target_;
        }
        std::uint32_t& counted = counted_[static_cast<std::size_t>(found.op)];
        cost += counted != target_ ? found.cost : 0;
        counted = target_;
    }
    return static_cast<std::int32_t>(std::min<std::int64_t>(cost, kDeadEnd - 1));
}

template <class ValueOf>
const PathDistances::Support& PathDistances::support(std::int32_t fact, const ValueOf& value) {
    const Support& known = supports_[static_cast<std::size_t>(fact)];
    if (known.source != source_) find_support(fact, value);
    return known;
}

template <class ValueOf>
void PathDistances::find_support(std::int32_t fact, const ValueOf& value) {
    Support& found = supports_[static_cast<std::size_t>(fact)];
    const auto begin = static_cast<std::uint32_t>(needs_.size());
    found = {source_, kNoOperator, 0, begin, begin};
    if (value(fact) == kUnreachable) return;
    const auto supporter = static_cast<std::size_t>(best_supporter(relaxation_, fact, value));
    found.op = relaxation_.operators[supporter];
    found.cost = static_cast<std::int32_t>(relaxation_.costs[supporter]);
    for (const std::int32_t needed : relaxation_.preconditions[supporter])
        if (value(needed) > 0) needs_.push_back(needed);
    found.needs_end = static_cast<std::uint32_t>(needs_.size());
}

}  // namespace bugsieve
