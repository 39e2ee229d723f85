#include "fuzzing/policy_graph.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bugsieve {

namespace {

constexpr std::size_t kStatesPerQuestion = 4096;
constexpr std::size_t kTurnsBetweenLooks = 64;  // at the clock

}  // namespace

PolicyGraph::PolicyGraph(TransitionSystem& system, PolicyView& policy)
    : system_(system), policy_(policy), states_(system.words()) {}

StateId PolicyGraph::insert(const std::uint64_t* row) {
    const StateNumbers::Inserted inserted = states_.insert(row);
    if (inserted.is_new) nodes_.emplace_back();
    return inserted.id;
}

PolicyGraph::Kind PolicyGraph::kind(StateId id) {
    std::uint8_t& known = nodes_[id].kind;
    if (known == kKindUnknown) known = static_cast<std::uint8_t>(system_.classify(row(id)));
    return static_cast<Kind>(known);
}

double PolicyGraph::distance(StateId id) {
    double& known = nodes_[id].distance;
    if (known < 0) {
        const double found = system_.distance(row(id));
        known = std::isnan(found) ? std::numeric_limits<double>::infinity() : std::max(found, 0.0);
    }
    return known;
}

bool PolicyGraph::request(StateId id) {
    Node& node = nodes_[id];
    if (node.action >= -1) return true;
    if (node.action == kWaiting) return false;
    if (kind(id) != Kind::kOrdinary) {
        node.action = -1;
        return true;
    }
    node.action = kWaiting;
    waiting_.push_back(id);
    return false;
}

void PolicyGraph::answer(Interrupts& interrupts) {
    for (std::size_t begin = 0; begin < waiting_.size(); begin += kStatesPerQuestion)
        ask(std::span(waiting_).subspan(begin,
                                        std::min(kStatesPerQuestion, waiting_.size() - begin)),
            interrupts);
    waiting_.clear();
}

void PolicyGraph::ask(std::span<const StateId> states, Interrupts& interrupts) {
    interrupts.check();
    rows_.clear();
    for (const StateId id : states) rows_.insert(rows_.end(), row(id), row(id) + words());
    actions_.resize(states.size());
    policy_.actions(rows_.data(), states.size(), actions_.data());
    decisions_ += static_cast<std::int64_t>(states.size());
    for (std::size_t i = 0; i < states.size(); ++i) {
        if (i % kTurnsBetweenLooks == 0) interrupts.check();
        add_outcomes(states[i], std::max(actions_[i], -1));
    }
}

void PolicyGraph::add_outcomes(StateId id, std::int32_t action) {
    const std::size_t first = outcomes_.size();
    if (action >= 0 && action < system_.num_actions()) {
        system_.outcomes(row(id), action, successors_);
        for (std::size_t at = 0; at < successors_.size(); at += words())
            outcomes_.push_back(insert(successors_.data() + at));
    }
    nodes_[id].first = first;
    nodes_[id].count = static_cast<std::uint32_t>(outcomes_.size() - first);
    nodes_[id].action = action;
    if (nodes_[id].count == 0) nodes_[id].stuck = why_stuck(id, action);
}

PolicyGraph::Stuck PolicyGraph::why_stuck(StateId id, std::int32_t action) {
    if (!system_.has_action(row(id))) return Stuck::kDeadEnd;
    return action < 0 ? Stuck::kNoAction : Stuck::kIllegalAction;
}

std::size_t PolicyGraph::bytes() const {
    return states_.bytes() + nodes_.capacity() * sizeof(Node) +
           outcomes_.capacity() * sizeof(StateId);
}

void PolicyGraph::clear() { take_states(); }

StateNumbers PolicyGraph::take_states() {
    StateNumbers states(words());
    std::swap(states, states_);
    nodes_ = std::vector<Node>();  // gives the memory back
    outcomes_ = std::vector<StateId>();
    waiting_.clear();
    return states;
}

}  // namespace bugsieve
