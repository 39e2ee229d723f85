#include "dominance/replay.h"

#include <algorithm>

namespace bugsieve {

namespace {

std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }

void execute(const FdrTask& task, std::int32_t op, std::vector<Value>& state) {
    const std::vector<Value> before = state;
    task.for_each_assignment(before, at(op), [&](std::int32_t variable, std::int32_t value) {
        state[at(variable)] = static_cast<Value>(value);
    });
}

}  // namespace

std::optional<std::vector<std::int32_t>> Replay::plan(StateView s,
                                                      std::span<const std::int32_t> plan,
                                                      StateView t, std::size_t max_steps,
                                                      Interrupts& interrupts) {
    leader_.assign(s.begin(), s.end());
    follower_.assign(t.begin(), t.end());
    target_.resize(function_.num_factors());
    places_.resize(function_.num_factors());
    result_.clear();
    max_steps_ = max_steps;
    for (std::size_t i = 0; i < plan.size(); ++i) {
        interrupts.check();
        if (leader_ == follower_) {
            result_.insert(result_.end(), plan.begin() + static_cast<std::ptrdiff_t>(i),
                           plan.end());
            if (result_.size() > max_steps_) return std::nullopt;
            return result_;
        }
        if (!task_.is_applicable(leader_, at(plan[i])) || !follow(plan[i])) return std::nullopt;
    }
    if (!finish()) return std::nullopt;
    return result_;
}

bool Replay::follow(std::int32_t op) {
    function_.factored().locate(follower_, places_);
    execute(task_, op, leader_);
    function_.factored().locate(leader_, target_);
    if (std::ranges::count(places_, kRemoved) > 0 || std::ranges::count(target_, kRemoved) > 0)
        return false;
    return answer(task_.costs[at(op)]);
}

void Replay::find_replies(std::size_t factor) {
    const Factor& here = function_.factored().factors()[factor];
    const Distance* values = function_.tables()[factor].row(at(target_[factor]));
    const Distance* walk = function_.walks().costs(factor).row(at(places_[factor]));
    std::vector<Reply>& replies = replies_[factor];
    replies.assign(here.groups.size(), {});
    const auto note = [&](std::int32_t group, std::int32_t from, std::int32_t to) {
        const Distance worth = values[at(to)] - walk[at(from)];
        if (worth > replies[at(group)].worth && worth >= kLeastFinite)
            replies[at(group)] = {worth, from};
    };
    for (std::int32_t u = 0; u < static_cast<std::int32_t>(here.num_states()); ++u)
        note(kIdentity, u, u);
    for (std::size_t g = 1; g < here.groups.size(); ++g)
        for (const FactorTransition& t : here.groups[g])
            note(static_cast<std::int32_t>(g), t.from, t.to);
}

bool Replay::answer(Distance cost) {
    const FactoredTask& factored = function_.factored();
    replies_.resize(function_.num_factors());
    std::int64_t idle = 0;
    std::size_t stuck = 0;  // factors in which doing nothing is not an answer
    for (std::size_t i = 0; i < function_.num_factors(); ++i) {
        find_replies(i);
        const Distance worth = replies_[i][kIdentity].worth;
        if (worth == kNoBoundOf) ++stuck;
        if (worth != kNoBoundOf) idle += worth;
    }
    std::int64_t best = stuck > 0 ? DominanceFunction::kNone : idle + cost;
    std::int32_t chosen = -1;
    for (std::size_t l = 0; l < factored.labels().size(); ++l) {
        if (!factored.is_alive(l)) continue;
        std::int64_t worth = idle + cost - factored.labels()[l].cost;
        std::size_t failing = stuck;
        for (const std::int32_t i : factored.touched(l)) {
            const Distance without = replies_[at(i)][kIdentity].worth;
            const Distance with = replies_[at(i)][at(factored.factors()[at(i)].group_of[l])].worth;
            if (without == kNoBoundOf) --failing;
            if (without != kNoBoundOf) worth -= without;
            if (with == kNoBoundOf) ++failing;
            if (with != kNoBoundOf) worth += with;
        }
        if (failing > 0 || worth <= best) continue;
        best = worth;
        chosen = static_cast<std::int32_t>(l);
    }
    if (best == DominanceFunction::kNone) return false;
    for (std::size_t i = 0; i < function_.num_factors(); ++i) {
        const std::int32_t group =
            chosen < 0 ? kIdentity : factored.factors()[i].group_of[at(chosen)];
        if (!walk(i, replies_[i][at(group)].from, last_stage())) return false;
    }
    return chosen < 0 || apply(chosen);
}

bool Replay::finish() {
    if (task_.is_goal(follower_)) return true;
    function_.factored().locate(follower_, places_);
    if (std::ranges::count(places_, kRemoved) > 0) return false;
    for (std::size_t i = 0; i < function_.num_factors(); ++i) {
        const Factor& factor = function_.factored().factors()[i];
        const Distance* costs = function_.walks().costs(i).row(at(places_[i]));
        std::int32_t nearest = -1;
        for (std::size_t g = 0; g < factor.num_states(); ++g)
            if (factor.is_goal[g] && (nearest < 0 || costs[g] < costs[at(nearest)]))
                nearest = static_cast<std::int32_t>(g);
        if (nearest < 0 || !walk(i, nearest, last_stage())) return false;
    }
    return task_.is_goal(follower_);
}

const WalkGraph& Replay::graph(std::size_t factor, std::int32_t stage, bool backwards) {
    const auto found = graphs_.find({factor, stage, backwards});
    if (found != graphs_.end()) return found->second;
    return graphs_
        .try_emplace({factor, stage, backwards}, function_.factored().factors()[factor],
                     function_.walks().steps(at(stage), factor), backwards)
        .first->second;
}

// Recursion ends: the others walk by steps of lower stages.
bool Replay::walk(std::size_t factor, std::int32_t to, std::int32_t stage) {
    if (places_[factor] == to) return true;
    if (stage < 0) return false;
    const WalkGraph& steps = graph(factor, stage, false);
    std::vector<Distance> costs(function_.factored().factors()[factor].num_states());
    std::vector<std::int32_t> last_edges(costs.size(), -1);
    ways_.find(steps, places_[factor], costs, &last_edges);
    if (costs[at(to)] >= kFarAway) return false;
    std::vector<std::int32_t> way;
    for (std::int32_t state = to; state != places_[factor];) {
        way.push_back(last_edges[at(state)]);
        state = steps.edges[at(way.back())].from;
    }
    for (std::size_t i = way.size(); i-- > 0;) {
        const WalkGraph::Edge& edge = steps.edges[at(way[i])];
        if (!step_alone(factor, function_.walks().steps(at(stage), factor)[at(edge.group)]))
            return false;
    }
    return places_[factor] == to;
}

bool Replay::step_alone(std::size_t factor, const TauStep& step) {
    const FactoredTask& factored = function_.factored();
    std::vector<std::pair<std::size_t, std::int32_t>> homes;
    for (const std::int32_t j : factored.touched(at(step.label))) {
        if (at(j) == factor) continue;
        const Factor& other = factored.factors()[at(j)];
        const std::int32_t home = places_[at(j)];
        std::vector<Distance> away(other.num_states()), back(other.num_states());
        ways_.find(graph(at(j), step.stage - 1, false), home, away);
        ways_.find(graph(at(j), step.stage - 1, true), home, back);
        std::int32_t from = -1;
        Distance least = kFarAway;
        for (const FactorTransition& t : other.groups[at(other.group_of[at(step.label)])])
            if (away[at(t.from)] + back[at(t.to)] < least) {
                least = away[at(t.from)] + back[at(t.to)];
                from = t.from;
            }
        if (from < 0 || !walk(at(j), from, step.stage - 1)) return false;
        homes.emplace_back(at(j), home);
    }
    if (!apply(step.label)) return false;
    return std::ranges::all_of(
        homes, [&](const auto& home) { return walk(home.first, home.second, step.stage - 1); });
}

bool Replay::apply(std::int32_t label) {
    const std::int32_t op = function_.factored().labels()[at(label)].op;
    if (result_.size() >= max_steps_ || !task_.is_applicable(follower_, at(op))) return false;
    execute(task_, op, follower_);
    result_.push_back(op);
    function_.factored().locate(follower_, places_);
    return std::ranges::count(places_, kRemoved) == 0;
}

}  // namespace bugsieve
