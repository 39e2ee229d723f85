#include "safety/explicit_system.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace bugsieve {

namespace {

void check(bool is_right, const std::string& sentence) {
    if (!is_right) throw std::invalid_argument(sentence);
}

// Offsets of `groups` groups into `items` items.
void check_offsets(const std::vector<std::uint32_t>& offsets, std::size_t groups,
                   std::size_t items, const std::string& what) {
    check(offsets.size() == groups + 1,
          "there must be " + std::to_string(groups + 1) + " offsets of " + what);
    check(offsets.front() == 0 && offsets.back() == items && std::ranges::is_sorted(offsets),
          "the offsets of " + what + " must rise from 0 to " + std::to_string(items));
}

void check_choices(const ExplicitGraph& graph, std::size_t state, std::int32_t num_actions) {
    const std::string where = " in state " + std::to_string(state);
    std::vector<std::uint32_t> sorted;
    for (std::uint32_t c = graph.state_offsets[state]; c < graph.state_offsets[state + 1]; ++c) {
        check(graph.actions[c] >= 0 && graph.actions[c] < num_actions,
              "there is no action " + std::to_string(graph.actions[c]) + where);
        check(c == graph.state_offsets[state] || graph.actions[c - 1] < graph.actions[c],
              "the actions do not rise" + where);
        sorted.assign(graph.outcomes.begin() + graph.outcome_offsets[c],
                      graph.outcomes.begin() + graph.outcome_offsets[c + 1]);
        const std::string which = " of action " + std::to_string(graph.actions[c]) + where;
        check(!sorted.empty(), "there are no outcomes" + which);
        std::ranges::sort(sorted);
        check(sorted.back() < graph.kinds.size(),
              "there is no state " + std::to_string(sorted.back()) + ", an outcome" + which);
        check(std::ranges::adjacent_find(sorted) == sorted.end(),
              "an outcome occurs twice among those" + which);
    }
}

}  // namespace

ExplicitSystem::ExplicitSystem(ExplicitGraph graph, std::int32_t num_actions)
    : graph_(std::move(graph)), num_actions_(num_actions) {
    check_offsets(graph_.state_offsets, num_states(), graph_.actions.size(), "actions");
    check_offsets(graph_.outcome_offsets, graph_.actions.size(), graph_.outcomes.size(),
                  "outcomes");
    check(graph_.distances.empty() || graph_.distances.size() == num_states(),
          "there must be a distance for each of the " + std::to_string(num_states()) + " states");
    for (std::size_t state = 0; state < num_states(); ++state) {
        check(graph_.kinds[state] <= static_cast<std::uint8_t>(Kind::kUnsafe),
              "state " + std::to_string(state) + " is of an unknown kind");
        check_choices(graph_, state, num_actions_);
    }
}

std::size_t ExplicitSystem::node(const std::uint64_t* state) const {
    check(*state < num_states(), "there is no state " + std::to_string(*state) +
                                     "; the graph has " + std::to_string(num_states()));
    return static_cast<std::size_t>(*state);
}

TransitionSystem::Kind ExplicitSystem::classify(const std::uint64_t* state) {
    return static_cast<Kind>(graph_.kinds[node(state)]);
}

void ExplicitSystem::expand(const std::uint64_t* state, Expansion& out) {
    const std::uint32_t begin = graph_.state_offsets[node(state)];
    const std::uint32_t end = graph_.state_offsets[node(state) + 1];
    const std::uint32_t first = graph_.outcome_offsets[begin];
    out.actions.assign(graph_.actions.begin() + begin, graph_.actions.begin() + end);
    out.offsets.clear();
    for (std::uint32_t c = begin; c <= end; ++c)
        out.offsets.push_back(graph_.outcome_offsets[c] - first);
    out.outcomes.assign(graph_.outcomes.begin() + first,
                        graph_.outcomes.begin() + graph_.outcome_offsets[end]);
}

void ExplicitSystem::outcomes(const std::uint64_t* state, std::int32_t action,
                              std::vector<std::uint64_t>& out) {
    const auto begin = graph_.actions.begin() + graph_.state_offsets[node(state)];
    const auto end = graph_.actions.begin() + graph_.state_offsets[node(state) + 1];
    const auto found = std::lower_bound(begin, end, action);
    out.clear();
    if (found == end || *found != action) return;
    const auto choice = static_cast<std::size_t>(found - graph_.actions.begin());
    out.assign(graph_.outcomes.begin() + graph_.outcome_offsets[choice],
               graph_.outcomes.begin() + graph_.outcome_offsets[choice + 1]);
}

double ExplicitSystem::distance(const std::uint64_t* state) {
    return graph_.distances.empty() ? 0 : graph_.distances[node(state)];
}

}  // namespace bugsieve
