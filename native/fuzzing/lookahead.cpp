#include "fuzzing/lookahead.h"

#include <algorithm>
#include <cmath>

namespace bugsieve {

namespace {

constexpr std::size_t kTurnsBetweenLooks = 256;  // at the clock
constexpr std::size_t kFirstSlots = 64;

}  // namespace

bool Lookahead::StateSet::insert(StateId id) {
    if (4 * (size_ + 1) > 3 * slots_.size()) grow();
    const std::uint64_t item = std::uint64_t{id} + 1;
    std::size_t slot = (item * 0x9e3779b97f4a7c15ULL) >> 32 & (slots_.size() - 1);
    while (slots_[slot] != 0) {
        if (slots_[slot] == item) return false;
        slot = (slot + 1) & (slots_.size() - 1);
    }
    slots_[slot] = item;
    ++size_;
    return true;
}

void Lookahead::StateSet::grow() {
    std::vector<std::uint64_t> old(std::max(2 * slots_.size(), kFirstSlots), 0);
    old.swap(slots_);
    size_ = 0;
    for (const std::uint64_t item : old)
        if (item != 0) insert(static_cast<StateId>(item - 1));
}

void Lookahead::StateSet::clear() {
    if (size_ == 0) return;
    slots_.clear();  // the next lookahead may be small, so its set starts small, too
    size_ = 0;
}

void Lookahead::start(StateId origin) {
    origin_ = origin;
    depth_ = 0;
    seen_.clear();
    layer_begin_ = 0;
    stuck_ = PolicyGraph::Stuck::kNot;
    known_.clear();
}

bool Lookahead::request(PolicyGraph& graph, Interrupts& interrupts) {
    if (depth_ == 0) return graph.request(origin_);
    bool all_known = true;
    for (std::size_t i = layer_begin_; i < seen_.size(); ++i) {
        if (i % kTurnsBetweenLooks == 0) interrupts.check();
        all_known = graph.request(seen_[i].state) && all_known;
    }
    return all_known;
}

void Lookahead::add_outcomes(const PolicyGraph& graph, StateId state, std::uint32_t position) {
    const std::span<const StateId> outcomes = graph.outcomes(state);
    const PolicyGraph::Stuck stuck = graph.stuck(state);
    if (depth_ == 1 || stuck > PolicyGraph::Stuck::kDeadEnd) stuck_ = std::max(stuck_, stuck);
    const bool keeps_origin = options_.choice == SuccessorChoice::kUniform;
    for (std::uint32_t k = 0; k < outcomes.size(); ++k) {
        if (depth_ > 1 ? !known_.insert(outcomes[k]) : outcomes[k] == origin_ && !keeps_origin)
            continue;
        seen_.push_back({outcomes[k], position, k});
    }
}

void Lookahead::remember_from(std::size_t first) {
    known_.insert(origin_);
    for (std::size_t i = first; i < seen_.size(); ++i) known_.insert(seen_[i].state);
}

Lookahead::Found Lookahead::add_layer(PolicyGraph& graph, Interrupts& interrupts) {
    const std::size_t begin = layer_begin_, end = seen_.size();
    ++depth_;
    if (depth_ == 1) add_outcomes(graph, origin_, kOrigin);
    if (depth_ == 2) remember_from(0);
    for (std::size_t i = begin; depth_ > 1 && i < end; ++i) {
        if (i % kTurnsBetweenLooks == 0) interrupts.check();
        add_outcomes(graph, seen_[i].state, static_cast<std::uint32_t>(i));
    }
    layer_begin_ = end;
    if (seen_.size() == end) return Found::kExhausted;
    return options_.choice == SuccessorChoice::kUniform ? Found::kCandidates
                                                        : weigh_layer(graph, interrupts);
}

// Algorithm 1, lines 14-17.
Lookahead::Found Lookahead::weigh_layer(PolicyGraph& graph, Interrupts& interrupts) {
    for (target_ = layer_begin_; target_ < seen_.size(); ++target_) {
        if (target_ % kTurnsBetweenLooks == 0) interrupts.check();
        if (graph.kind(target()) == PolicyGraph::Kind::kUnsafe) return Found::kUnsafe;
    }
    ties_ = 0;
    for (std::size_t i = layer_begin_; i < seen_.size(); ++i) {
        if (i % kTurnsBetweenLooks == 0) interrupts.check();
        const double distance = graph.distance(seen_[i].state);
        if (ties_ == 0 || distance < least_) {
            least_ = distance;
            ties_ = 0;
        }
        ties_ += distance == least_;
    }
    const bool is_last =
        ties_ == 1 || depth_ >= options_.depth || seen_.size() >= options_.most_states;
    return is_last ? Found::kCandidates : Found::kNothingYet;
}

void Lookahead::choose(PolicyGraph& graph, WalkDraws& draws) {
    switch (options_.choice) {
        case SuccessorChoice::kUniform:
            target_ = seen_.size() == 1 ? 0 : draws.below(seen_.size());
            return;
        case SuccessorChoice::kGreedy:
            return choose_nearest(graph, draws);
        case SuccessorChoice::kSampling:
            return choose_by_weight(graph, draws);
    }
}

void Lookahead::choose_nearest(PolicyGraph& graph, WalkDraws& draws) {
    std::uint64_t before = ties_ == 1 ? 0 : draws.below(ties_);
    for (target_ = layer_begin_;; ++target_)
        if (graph.distance(target()) == least_ && before-- == 0) return;
}

// Weights are relative to the largest, so that at least one of them is 1.
void Lookahead::choose_by_weight(PolicyGraph& graph, WalkDraws& draws) {
    target_ = 0;
    if (seen_.size() == 1) return;
    double least = graph.distance(seen_[0].state);
    for (const Seen& item : seen_) least = std::min(least, graph.distance(item.state));
    sums_.clear();
    double sum = 0;
    for (const Seen& item : seen_) {
        const double distance = graph.distance(item.state);
        sum += distance == least ? 1.0 : std::exp(least - distance);
        sums_.push_back(sum);
    }
    const double drawn = draws.unit() * sum;
    while (target_ + 1 < sums_.size() && sums_[target_] <= drawn) ++target_;
}

void Lookahead::path(std::vector<Step>& steps) const {
    steps.clear();
    for (std::size_t i = target_;;) {
        const std::uint32_t parent = seen_[i].parent;
        steps.push_back({parent == kOrigin ? origin_ : seen_[parent].state, seen_[i].outcome});
        if (parent == kOrigin) return;
        i = parent;
    }
}

}  // namespace bugsieve
