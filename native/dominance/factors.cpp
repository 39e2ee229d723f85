#include "dominance/factors.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <queue>
#include <tuple>

namespace bugsieve {

namespace {

std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }
std::int32_t number(std::size_t index) { return static_cast<std::int32_t>(index); }

bool is_identity(const std::vector<FactorTransition>& transitions, std::size_t states) {
    return transitions.size() == states &&
           std::ranges::all_of(transitions, [](const auto& t) { return t.from == t.to; });
}

std::vector<FactorTransition> loops(std::size_t states) {
    std::vector<FactorTransition> transitions;
    for (std::int32_t state = 0; state < number(states); ++state)
        transitions.push_back({state, state});
    return transitions;
}

}  // namespace

FactoredTask::FactoredTask(const FdrTask& task, std::vector<Label> labels, WorkMeter& meter)
    : labels_(std::move(labels)), alive_(labels_.size(), true) {
    std::vector<std::size_t> all;
    for (std::size_t v = 0; v < task.num_variables(); ++v) {
        add_atomic(task, number(v));
        all.push_back(v);
    }
    // A label may touch a variable and yet be the identity there, so groups come first.
    for (std::size_t l = 0; l < labels_.size(); ++l)
        for (const Touch& touch : labels_[l].touches) {
            Factor& factor = factors_[at(touch.variable)];
            std::vector<FactorTransition> transitions;
            for (std::int32_t x = 0; x < number(factor.num_states()); ++x)
                if (touch.allows(x))
                    transitions.push_back({x, touch.target < 0 ? x : touch.target});
            factor.group_of[l] = number(factor.groups.size());
            factor.groups.push_back(std::move(transitions));
        }
    prune(all, meter);
}

void FactoredTask::add_atomic(const FdrTask& task, std::int32_t variable) {
    Factor factor;
    const auto states = static_cast<std::size_t>(task.domain_sizes[at(variable)]);
    factor.variables = {variable};
    factor.node = number(nodes_.size());
    factor.initial = task.initial_state[at(variable)];
    factor.is_goal.assign(states, true);
    for (const Fact& fact : task.goal) {
        if (fact.variable != variable) continue;
        factor.has_goal_variable = true;
        for (std::size_t x = 0; x < states; ++x)
            factor.is_goal[x] = factor.is_goal[x] && number(x) == fact.value;
    }
    factor.groups.resize(1);
    factor.group_of.assign(labels_.size(), kIdentity);
    Node node{variable, -1, -1, 0, {}};
    for (std::size_t x = 0; x < states; ++x) node.numbers.push_back(number(x));
    nodes_.push_back(std::move(node));
    factors_.push_back(std::move(factor));
}

void FactoredTask::locate(StateView state, std::span<std::int32_t> places) const {
    std::vector<std::int32_t> values(nodes_.size());
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
        const Node& node = nodes_[n];
        if (node.variable >= 0) {
            values[n] = node.numbers[state[at(node.variable)]];
            continue;
        }
        const std::int32_t left = values[at(node.left)], right = values[at(node.right)];
        values[n] = left == kRemoved || right == kRemoved
                        ? kRemoved
                        : node.numbers[at(left) * at(node.width) + at(right)];
    }
    for (std::size_t i = 0; i < factors_.size(); ++i) places[i] = values[at(factors_[i].node)];
}

std::vector<Value> FactoredTask::states(const Factor& factor) const {
    const std::size_t rows = factor.num_states(), width = factor.variables.size();
    std::vector<Value> values(rows * width);
    std::vector<std::int32_t> all(rows);
    std::iota(all.begin(), all.end(), 0);
    std::vector<std::pair<std::int32_t, std::vector<std::int32_t>>> open;
    open.emplace_back(factor.node, std::move(all));
    while (!open.empty()) {
        auto [number_of_node, places] = std::move(open.back());
        open.pop_back();
        const Node& node = nodes_[at(number_of_node)];
        // No two entries have the same number, unless they were removed.
        std::vector<std::int32_t> entry_of(node.numbers.size());
        for (std::size_t entry = 0; entry < node.numbers.size(); ++entry)
            if (node.numbers[entry] != kRemoved) entry_of[at(node.numbers[entry])] = number(entry);
        for (std::int32_t& place : places) place = entry_of[at(place)];
        if (node.variable >= 0) {
            const auto column = static_cast<std::size_t>(
                std::ranges::lower_bound(factor.variables, node.variable) -
                factor.variables.begin());
            for (std::size_t row = 0; row < rows; ++row)
                values[row * width + column] = static_cast<Value>(places[row]);
            continue;
        }
        std::vector<std::int32_t> right = places;
        for (std::int32_t& place : places) place /= node.width;
        for (std::int32_t& place : right) place %= node.width;
        open.emplace_back(node.left, std::move(places));
        open.emplace_back(node.right, std::move(right));
    }
    return values;
}

void FactoredTask::regroup(Factor& factor) {
    std::map<std::vector<FactorTransition>, std::int32_t> numbers;
    std::vector<std::vector<FactorTransition>> groups(1);
    std::vector<std::int32_t> renamed(factor.groups.size(), kRemoved);
    renamed[kIdentity] = kIdentity;
    for (std::size_t l = 0; l < labels_.size(); ++l) {
        if (!alive_[l]) continue;
        const auto old = at(factor.group_of[l]);
        if (renamed[old] == kRemoved) {
            auto& transitions = factor.groups[old];
            if (is_identity(transitions, factor.num_states())) {
                renamed[old] = kIdentity;
            } else {
                const auto [place, is_new] =
                    numbers.try_emplace(std::move(transitions), number(groups.size()));
                renamed[old] = place->second;
                if (is_new) groups.push_back(place->first);
            }
        }
        factor.group_of[l] = renamed[old];
    }
    factor.groups = std::move(groups);
}

std::vector<bool> FactoredTask::reachable(const Factor& factor) const {
    std::vector<std::vector<std::int32_t>> successors(factor.num_states());
    for (const auto& group : factor.groups)
        for (const FactorTransition& t : group)
            if (t.from != t.to) successors[at(t.from)].push_back(t.to);
    std::vector<bool> seen(factor.num_states(), false);
    std::vector<std::int32_t> open;
    if (factor.initial != kRemoved) {
        seen[at(factor.initial)] = true;
        open.push_back(factor.initial);
    }
    while (!open.empty()) {
        const std::int32_t state = open.back();
        open.pop_back();
        for (const std::int32_t next : successors[at(state)]) {
            if (seen[at(next)]) continue;
            seen[at(next)] = true;
            open.push_back(next);
        }
    }
    return seen;
}

void FactoredTask::set_goal_distances(Factor& factor) const {
    std::vector<Distance> cost(factor.groups.size(), kFarAway);
    for (std::size_t l = 0; l < labels_.size(); ++l)
        if (alive_[l]) {
            Distance& least = cost[at(factor.group_of[l])];
            least = std::min(least, labels_[l].cost);
        }
    struct Edge {
        std::int32_t from;
        Distance cost;
    };
    std::vector<std::vector<Edge>> incoming(factor.num_states());
    for (std::size_t g = 1; g < factor.groups.size(); ++g)
        for (const FactorTransition& t : factor.groups[g])
            if (t.from != t.to) incoming[at(t.to)].push_back({t.from, cost[g]});
    using Item = std::pair<Distance, std::int32_t>;
    std::priority_queue<Item, std::vector<Item>, std::greater<>> open;
    factor.goal_distance.assign(factor.num_states(), kFarAway);
    for (std::size_t x = 0; x < factor.num_states(); ++x)
        if (factor.is_goal[x]) {
            factor.goal_distance[x] = 0;
            open.emplace(0, number(x));
        }
    while (!open.empty()) {
        const auto [distance, state] = open.top();
        open.pop();
        if (distance != factor.goal_distance[at(state)]) continue;
        for (const Edge& edge : incoming[at(state)]) {
            const Distance through = std::min(distance + edge.cost, kFarAway - 1);
            if (through >= factor.goal_distance[at(edge.from)]) continue;
            factor.goal_distance[at(edge.from)] = through;
            open.emplace(through, edge.from);
        }
    }
}

void FactoredTask::keep_states(Factor& factor, const std::vector<bool>& keep) {
    std::vector<std::int32_t> renamed(factor.num_states(), kRemoved);
    std::int32_t kept = 0;
    for (std::size_t x = 0; x < keep.size(); ++x) {
        if (!keep[x]) continue;
        renamed[x] = kept++;
        factor.is_goal[at(renamed[x])] = factor.is_goal[x];
        factor.goal_distance[at(renamed[x])] = factor.goal_distance[x];
    }
    factor.is_goal.resize(at(kept));
    factor.goal_distance.resize(at(kept));
    if (factor.initial != kRemoved) factor.initial = renamed[at(factor.initial)];
    for (auto& group : factor.groups) {
        std::erase_if(group, [&](const auto& t) { return !keep[at(t.from)] || !keep[at(t.to)]; });
        for (FactorTransition& t : group) t = {renamed[at(t.from)], renamed[at(t.to)]};
    }
    for (std::int32_t& place : nodes_[at(factor.node)].numbers)
        if (place != kRemoved) place = renamed[at(place)];
}

bool FactoredTask::prune_factor(std::size_t index, WorkMeter& meter) {
    Factor& factor = factors_[index];
    std::size_t transitions = factor.num_states();
    for (const auto& group : factor.groups) transitions += group.size();
    meter.spend(transitions + labels_.size());
    regroup(factor);
    set_goal_distances(factor);
    std::vector<bool> keep = reachable(factor);
    bool keeps_all = true;
    for (std::size_t x = 0; x < keep.size(); ++x) {
        keep[x] = keep[x] && factor.goal_distance[x] < kFarAway;
        keeps_all = keeps_all && keep[x];
    }
    if (keeps_all && factor.num_states() > 0) return false;
    keep_states(factor, keep);
    bool died = false;
    for (std::size_t l = 0; l < labels_.size(); ++l)
        if (alive_[l] && factor.size_of(factor.group_of[l]) == 0) {
            alive_[l] = false;
            died = true;
        }
    regroup(factor);
    return died;
}

void FactoredTask::prune(std::vector<std::size_t> changed, WorkMeter& meter) {
    for (bool died = true; died;) {
        died = false;
        for (const std::size_t index : changed) died = prune_factor(index, meter) || died;
        if (!died) break;
        // A dead label may have been the only way to a state or to the goal anywhere.
        changed.resize(factors_.size());
        std::iota(changed.begin(), changed.end(), std::size_t{0});
    }
    find_touched();
}

void FactoredTask::find_touched() {
    touched_.assign(labels_.size(), {});
    for (std::size_t i = 0; i < factors_.size(); ++i)
        for (std::size_t l = 0; l < labels_.size(); ++l)
            if (alive_[l] && factors_[i].group_of[l] != kIdentity)
                touched_[l].push_back(number(i));
}

struct FactoredTask::Pair {
    Distance weight = kFarAway;
    std::int64_t both = 0;   // sum of the products of sizes over labels that touch both
    std::int64_t first = 0;  // sums of sizes over the same labels
    std::int64_t second = 0;
};

void FactoredTask::merge_dfp(const MergeOptions& options, WorkMeter& meter) {
    while (options.max_transitions > 0 && factors_.size() > 1) {
        const std::vector<Pair> pairs = candidates(options, meter);
        std::tuple<Distance, std::int32_t, std::int32_t> best{kFarAway, 0, 0};
        std::size_t first = 0, second = 0;
        for (std::size_t a = 0; a < factors_.size(); ++a)
            for (std::size_t b = a + 1; b < factors_.size(); ++b) {
                const Distance weight = pairs[a * factors_.size() + b].weight;
                const auto [low, high] =
                    std::minmax(factors_[a].variables.front(), factors_[b].variables.front());
                if (weight >= kFarAway || std::tuple(weight, low, high) >= best) continue;
                best = {weight, low, high};
                first = a;
                second = b;
            }
        if (std::get<0>(best) >= kFarAway) return;
        merge(first, second, meter);
    }
}

void FactoredTask::merge_again(std::span<const Merge> merges, WorkMeter& meter) {
    for (const Merge& merge : merges) {
        if (merge.first < 0 || merge.second <= merge.first ||
            merge.second >= number(factors_.size()))
            throw std::invalid_argument("a merge names factors that there are not");
        this->merge(at(merge.first), at(merge.second), meter);
    }
}

std::vector<FactoredTask::Pair> FactoredTask::candidates(const MergeOptions& options,
                                                         WorkMeter& meter) const {
    const std::size_t count = factors_.size();
    std::vector<Pair> pairs(count * count);
    std::vector<std::vector<Distance>> ranks(count);  // by group
    std::vector<std::int64_t> total(count, 0);
    for (std::size_t i = 0; i < count; ++i) {
        const Factor& factor = factors_[i];
        for (const auto& group : factor.groups) {
            Distance rank = kFarAway;
            for (const FactorTransition& t : group)
                rank = std::min(rank, factor.goal_distance[at(t.to)]);
            ranks[i].push_back(rank);
        }
    }
    for (std::size_t l = 0; l < labels_.size(); ++l) {
        meter.spend(touched_[l].size() * touched_[l].size());
        for (const std::int32_t a : touched_[l]) {
            const std::int32_t group_a = factors_[at(a)].group_of[l];
            const auto size_a = static_cast<std::int64_t>(factors_[at(a)].size_of(group_a));
            total[at(a)] += size_a;
            for (const std::int32_t b : touched_[l]) {
                if (b <= a) continue;
                const std::int32_t group_b = factors_[at(b)].group_of[l];
                const auto size_b = static_cast<std::int64_t>(factors_[at(b)].size_of(group_b));
                Pair& pair = pairs[at(a) * count + at(b)];
                pair.weight = std::min(
                    pair.weight, std::max(ranks[at(a)][at(group_a)], ranks[at(b)][at(group_b)]));
                pair.both += size_a * size_b;
                pair.first += size_a;
                pair.second += size_b;
            }
        }
    }
    for (std::size_t a = 0; a < count; ++a)
        for (std::size_t b = a + 1; b < count; ++b) {
            Pair& pair = pairs[a * count + b];
            const auto states_a = static_cast<std::int64_t>(factors_[a].num_states());
            const auto states_b = static_cast<std::int64_t>(factors_[b].num_states());
            const std::int64_t size = pair.both + states_b * (total[a] - pair.first) +
                                      states_a * (total[b] - pair.second);
            const bool has_goal = factors_[a].has_goal_variable || factors_[b].has_goal_variable;
            if (!has_goal || size > options.max_transitions ||
                states_a * states_b > options.max_states)
                pair.weight = kFarAway;
        }
    return pairs;
}

void FactoredTask::merge(std::size_t first, std::size_t second, WorkMeter& meter) {
    const Factor &a = factors_[first], &b = factors_[second];
    const std::size_t width = b.num_states();
    const auto pair = [&](std::int32_t x, std::int32_t y) {
        return number(at(x) * width + at(y));
    };
    Factor merged;
    std::ranges::merge(a.variables, b.variables, std::back_inserter(merged.variables));
    merged.node = number(nodes_.size());
    merged.initial =
        a.initial == kRemoved || b.initial == kRemoved ? kRemoved : pair(a.initial, b.initial);
    merged.has_goal_variable = a.has_goal_variable || b.has_goal_variable;
    for (std::size_t x = 0; x < a.num_states(); ++x)
        for (std::size_t y = 0; y < width; ++y)
            merged.is_goal.push_back(a.is_goal[x] && b.is_goal[y]);
    merged.groups.resize(1);
    merged.group_of.assign(labels_.size(), kIdentity);
    std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> numbers;
    const auto loops_a = loops(a.num_states()), loops_b = loops(width);
    for (std::size_t l = 0; l < labels_.size(); ++l) {
        const std::int32_t group_a = a.group_of[l], group_b = b.group_of[l];
        if (!alive_[l] || (group_a == kIdentity && group_b == kIdentity)) continue;
        const auto [place, is_new] =
            numbers.try_emplace({group_a, group_b}, number(merged.groups.size()));
        merged.group_of[l] = place->second;
        if (!is_new) continue;
        std::vector<FactorTransition> transitions;
        for (const auto& t : group_a == kIdentity ? loops_a : a.groups[at(group_a)])
            for (const auto& u : group_b == kIdentity ? loops_b : b.groups[at(group_b)])
                transitions.push_back({pair(t.from, u.from), pair(t.to, u.to)});
        meter.spend(transitions.size());
        merged.groups.push_back(std::move(transitions));
    }
    Node node{-1, a.node, b.node, number(width), {}};
    for (std::size_t x = 0; x < merged.num_states(); ++x) node.numbers.push_back(number(x));
    nodes_.push_back(std::move(node));
    factors_[first] = std::move(merged);
    factors_.erase(factors_.begin() + static_cast<std::ptrdiff_t>(second));
    prune({first}, meter);
    merges_.push_back({number(first), number(second)});  // last: a limit may have cut it short
}

}  // namespace bugsieve
