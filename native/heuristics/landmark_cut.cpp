#include "heuristics/landmark_cut.h"

#include <algorithm>

namespace bugsieve {

LandmarkCut::LandmarkCut(const Relaxation& relaxation)
    : relaxation_(relaxation),
      values_(static_cast<std::size_t>(relaxation.num_facts)),
      costs_(relaxation.costs.begin(), relaxation.costs.end()),
      in_zone_(values_.size()),
      considered_(costs_.size()),
      outside_(values_.size()),
      enclosed_(values_.size()) {
    std::vector<std::pair<std::int32_t, std::int32_t>> parts;
    for (std::size_t op = 0; op < costs_.size(); ++op)
        parts.emplace_back(relaxation.operators[op], static_cast<std::int32_t>(op));
    std::sort(parts.begin(), parts.end());
    for (const auto& [whole, part] : parts) {
        while (static_cast<std::int32_t>(parts_.size()) < whole) parts_.close();
        parts_.items.push_back(part);
    }
    parts_.close();
    charged_.resize(parts_.size());
}

std::int32_t LandmarkCut::evaluate_values(Interrupts& interrupts) {
    if (relaxation_.goal.empty()) return 0;
    restore_costs();  // of the state before, which an interrupt may have left half done
    const std::uint32_t hmax = values_[static_cast<std::size_t>(most_expensive_goal())];
    if (hmax == kInfinite) return kDeadEnd;
    std::int64_t total = 0;
    while (true) {
        interrupts.check();
        // Each round finds a disjunctive action landmark, the cut, and charges its cheapest price
        // to all operators in it: no plan avoids the cut, and no cost is charged twice, so the sum
        // of the prices is admissible.
        const std::int32_t goal = most_expensive_goal();
        const std::uint32_t goal_value = values_[static_cast<std::size_t>(goal)];
        if (goal_value == 0) break;
        start_round();
        mark_zone(goal);
        find_cut(goal_value);
        if (cut_.empty()) break;
        total += pay_for_cut(goal_value);
    }
    total = std::max<std::int64_t>(total, hmax);  // may be less where operators have parts
    return static_cast<std::int32_t>(std::min<std::int64_t>(total, kDeadEnd - 1));
}

void LandmarkCut::restore_costs() {
    for (const std::int32_t op : paid_)
        costs_[static_cast<std::size_t>(op)] =
            static_cast<std::uint32_t>(relaxation_.costs[static_cast<std::size_t>(op)]);
    paid_.clear();
}

void LandmarkCut::start_round() {
    if (++round_ != 0) return;
    for (auto* marks : {&in_zone_, &considered_, &outside_, &enclosed_, &charged_})
        std::fill(marks->begin(), marks->end(), 0u);
    round_ = 1;
}

std::int32_t LandmarkCut::most_expensive_goal() const {
    return *std::max_element(relaxation_.goal.begin(), relaxation_.goal.end(),
                             [&](std::int32_t a, std::int32_t b) { return is_cheaper(a, b); });
}

std::int32_t LandmarkCut::supporter(std::int32_t op) const {
    std::int32_t best = kAlwaysTrue;
    for (const std::int32_t fact : relaxation_.preconditions[static_cast<std::size_t>(op)])
        if (best == kAlwaysTrue || !is_cheaper(fact, best)) best = fact;
    return best;
}

std::uint32_t LandmarkCut::operator_value(std::int32_t op) const {
    std::uint32_t most = 0;
    for (const std::int32_t fact : relaxation_.preconditions[static_cast<std::size_t>(op)])
        most = std::max(most, values_[static_cast<std::size_t>(fact)]);
    if (most == kInfinite) return most;
    const std::uint32_t cost = costs_[static_cast<std::size_t>(op)];
    return most > kLargest - cost ? kLargest : most + cost;
}

// Also collects the operators with a cost that lead into the zone.
void LandmarkCut::mark_zone(std::int32_t goal) {
    candidates_.clear();
    open_.assign(1, goal);
    in_zone_[static_cast<std::size_t>(goal)] = round_;
    while (!open_.empty()) {
        const std::int32_t fact = open_.back();
        open_.pop_back();
        for (const std::int32_t op : relaxation_.achievers[static_cast<std::size_t>(fact)]) {
            auto& considered = considered_[static_cast<std::size_t>(op)];
            if (considered == round_) continue;
            considered = round_;
            if (costs_[static_cast<std::size_t>(op)] > 0) {
                candidates_.push_back(op);
                continue;
            }
            const std::int32_t support = supporter(op);
            if (support == kAlwaysTrue || in_zone(support) ||
                values_[static_cast<std::size_t>(support)] == kInfinite)
                continue;
            in_zone_[static_cast<std::size_t>(support)] = round_;
            open_.push_back(support);
        }
    }
}

void LandmarkCut::find_cut(std::uint32_t goal_value) {
    cut_.clear();
    for (const std::int32_t op : candidates_) {
        const std::int32_t support = supporter(op);
        if (support == kAlwaysTrue) {
            cut_.push_back(op);
            continue;
        }
        const std::uint32_t value = values_[static_cast<std::size_t>(support)];
        if (value == kInfinite || in_zone(support)) continue;
        if (value < goal_value || is_reachable_outside_zone(support, goal_value))
            cut_.push_back(op);
    }
}

// Walks back along supporters until it meets a fact cheaper than the goal.
bool LandmarkCut::is_reachable_outside_zone(std::int32_t fact, std::uint32_t goal_value) {
    const auto known = [&](std::int32_t f) {
        return outside_[static_cast<std::size_t>(f)] == round_;
    };
    if (known(fact)) return true;
    if (enclosed_[static_cast<std::size_t>(fact)] == round_) return false;
    open_.assign(1, fact);
    enclosed_[static_cast<std::size_t>(fact)] = round_;  // until proved otherwise
    for (std::size_t i = 0; i < open_.size(); ++i) {
        for (const std::int32_t op : relaxation_.achievers[static_cast<std::size_t>(open_[i])]) {
            const std::int32_t support = supporter(op);
            bool found = support == kAlwaysTrue;
            if (!found) {
                const auto s = static_cast<std::size_t>(support);
                if (values_[s] == kInfinite || in_zone(support)) continue;
                found = values_[s] < goal_value || known(support);
                if (!found && enclosed_[s] != round_) {
                    enclosed_[s] = round_;
                    open_.push_back(support);
                }
            }
            if (!found) continue;
            // The facts walked over may yet be unreachable: forget what was assumed of them.
            for (const std::int32_t walked : open_)
                enclosed_[static_cast<std::size_t>(walked)] = 0;
            outside_[static_cast<std::size_t>(fact)] = round_;
            return true;
        }
    }
    return false;
}

void LandmarkCut::lower_effects(std::int32_t op, std::uint32_t goal_value) {
    const std::uint32_t value = operator_value(op);
    for (const std::int32_t effect : relaxation_.effects[static_cast<std::size_t>(op)]) {
        auto& known = values_[static_cast<std::size_t>(effect)];
        if (value >= known) continue;
        known = value;
        if (value < goal_value) queue_.push(value, effect);
    }
}

std::uint32_t LandmarkCut::pay_for_cut(std::uint32_t goal_value) {
    std::uint32_t price = kInfinite;
    for (const std::int32_t op : cut_)
        price = std::min(price, costs_[static_cast<std::size_t>(op)]);
    queue_.clear();
    for (const std::int32_t op : cut_) {
        const auto whole =
            static_cast<std::size_t>(relaxation_.operators[static_cast<std::size_t>(op)]);
        // Parts of one operator stand for one cost: a plan that uses several of them pays once, so
        // all are charged when one is in the cut, and once.
        if (charged_[whole] == round_) continue;
        charged_[whole] = round_;
        for (const std::int32_t part : parts_[whole]) charge(part, price, goal_value);
    }
    // Costs have only fallen, so values can only fall: an incremental Dijkstra from the operators
    // that were charged is enough.
    while (!queue_.empty()) {
        const auto [value, fact] = queue_.pop();
        if (values_[static_cast<std::size_t>(fact)] != value) continue;
        for (const std::int32_t op : relaxation_.needed_by[static_cast<std::size_t>(fact)])
            lower_effects(op, goal_value);
    }
    return price;
}

void LandmarkCut::charge(std::int32_t op, std::uint32_t price, std::uint32_t goal_value) {
    const auto o = static_cast<std::size_t>(op);
    if (costs_[o] == static_cast<std::uint32_t>(relaxation_.costs[o])) paid_.push_back(op);
    costs_[o] -= price;
    lower_effects(op, goal_value);
}

}  // namespace bugsieve
