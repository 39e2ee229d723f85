#include "heuristics/landmark_cut.h"

#include <algorithm>
#include <ranges>

namespace bugsieve {

namespace {

constexpr std::uint32_t kRoundsBetweenLooks = 16;

}  // namespace

LandmarkCut::LandmarkCut(const Relaxation& relaxation)
    : relaxation_(relaxation),
      goal_(relaxation.goal.rbegin(), relaxation.goal.rend()),
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
    restore_costs();  // of the state before, which an interrupt may have left half done
    const std::uint32_t hmax = goal_value();
    if (hmax == kInfinite) return kDeadEnd;
    std::int64_t total = 0;
    // Each round finds a disjunctive action landmark, the cut, and charges its cheapest price to
    // all operators in it: no plan avoids the cut, and no cost is charged twice, so the sum of the
    // prices is admissible.
    for (goal_value_ = hmax; goal_value_ > 0; goal_value_ = goal_value()) {
        start_round();
        if (round_ % kRoundsBetweenLooks == 0) interrupts.check();
        mark_zone();
        find_cut();
        if (cut_.empty()) break;
        total += pay_for_cut();
    }
    total = std::max<std::int64_t>(total, hmax);  // may be less where operators have parts
    return static_cast<std::int32_t>(std::min<std::int64_t>(total, kDeadEnd - 1));
}

std::uint32_t LandmarkCut::goal_value() const {
    std::uint32_t most = 0;
    for (const std::int32_t fact : relaxation_.goal) most = std::max(most, value(fact));
    return most;
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

LandmarkCut::Needs LandmarkCut::needs(std::int32_t op) const {
    Needs found{false, 0, kNoFact};
    for (const std::int32_t fact : preconditions(op)) {
        if (value(fact) < goal_value_) continue;
        if (in_zone(fact) || value(fact) == kInfinite) return {true, 0, kNoFact};
        ++found.dear;
        found.a_dear = fact;
    }
    return found;
}

// Operators that leave no choice come first: the zone may then decide for the others.
void LandmarkCut::mark_zone() {
    candidates_.clear();
    undecided_.clear();
    enter_zone(least_growth(goal_));
    grow_zone();
    for (std::size_t i = 0; i < undecided_.size(); ++i) {
        if (needs(undecided_[i]).never) continue;
        enter_zone(least_growth(preconditions(undecided_[i])));
        grow_zone();
    }
}

void LandmarkCut::enter_zone(std::int32_t fact) {
    in_zone_[static_cast<std::size_t>(fact)] = round_;
    open_.push_back(fact);
}

// Also collects the operators with a cost that lead into the zone.
void LandmarkCut::grow_zone() {
    while (!open_.empty()) {
        const std::int32_t fact = open_.back();
        open_.pop_back();
        for (const std::int32_t op : relaxation_.achievers[static_cast<std::size_t>(fact)]) {
            auto& considered = considered_[static_cast<std::size_t>(op)];
            if (considered == round_) continue;
            considered = round_;
            if (!is_free(op)) {
                candidates_.push_back(op);
                continue;
            }
            const Needs found = needs(op);
            if (found.never) continue;
            // There is one at least: an effect costs no more than what a free operator needs.
            if (found.dear == 1)
                enter_zone(found.a_dear);
            else
                undecided_.push_back(op);
        }
    }
}

// Of the facts as expensive as the goal the one that the fewest free operators achieve, of which
// the zone would need another precondition each. Of equals the last, which is further from the
// goal than the others.
std::int32_t LandmarkCut::least_growth(std::span<const std::int32_t> facts) const {
    std::int32_t best = kNoFact;
    std::size_t least = std::numeric_limits<std::size_t>::max();
    for (const std::int32_t fact : std::views::reverse(facts)) {
        if (value(fact) < goal_value_) continue;
        std::size_t growth = 0;
        for (const std::int32_t op : relaxation_.achievers[static_cast<std::size_t>(fact)]) {
            if (!is_free(op) || needs(op).never) continue;
            if (++growth == least) break;
        }
        if (growth >= least) continue;
        best = fact;
        least = growth;
        if (least == 0) break;
    }
    return best;
}

void LandmarkCut::find_cut() {
    cut_.clear();
    for (const std::int32_t op : candidates_)
        if (are_reachable_outside_zone(op)) cut_.push_back(op);
}

// Returns true if the preconditions of the operator can be true before the zone is entered.
bool LandmarkCut::are_reachable_outside_zone(std::int32_t op) {
    const Needs found = needs(op);
    if (found.never) return false;
    if (found.dear <= 1) return found.dear == 0 || is_reachable_outside_zone(found.a_dear);
    return std::ranges::all_of(preconditions(op), [&](std::int32_t fact) {
        return value(fact) < goal_value_ || is_reachable_outside_zone(fact);
    });
}

// Walks back along an expensive precondition of each operator until it meets an operator without.
bool LandmarkCut::is_reachable_outside_zone(std::int32_t fact) {
    const auto known = [&](std::int32_t f) {
        return outside_[static_cast<std::size_t>(f)] == round_;
    };
    if (known(fact)) return true;
    if (enclosed_[static_cast<std::size_t>(fact)] == round_) return false;
    open_.assign(1, fact);
    enclosed_[static_cast<std::size_t>(fact)] = round_;  // until proved otherwise
    bool reachable = false;
    for (std::size_t i = 0; i < open_.size() && !reachable; ++i) {
        for (const std::int32_t op : relaxation_.achievers[static_cast<std::size_t>(open_[i])]) {
            const Needs found = needs(op);
            if (found.never) continue;
            reachable = found.dear == 0 || known(found.a_dear);
            if (reachable) {
                outside_[static_cast<std::size_t>(open_[i])] = round_;
                break;
            }
            auto& enclosed = enclosed_[static_cast<std::size_t>(found.a_dear)];
            if (enclosed == round_) continue;
            enclosed = round_;
            open_.push_back(found.a_dear);
        }
    }
    if (reachable) {
        // The facts walked over may yet be unreachable: forget what was assumed of them.
        for (const std::int32_t walked : open_) enclosed_[static_cast<std::size_t>(walked)] = 0;
        outside_[static_cast<std::size_t>(fact)] = round_;
    }
    open_.clear();
    return reachable;
}

std::uint32_t LandmarkCut::pay_for_cut() {
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
        for (const std::int32_t part : parts_[whole]) charge(part, price);
    }
    // Costs have only fallen, so values can only fall: an incremental Dijkstra from the operators
    // that were charged is enough.
    while (!queue_.empty()) {
        const auto [known, fact] = queue_.pop();
        if (value(fact) != known) continue;
        for (const std::int32_t op : relaxation_.needed_by[static_cast<std::size_t>(fact)])
            lower_effects(op);
    }
    return price;
}

void LandmarkCut::charge(std::int32_t op, std::uint32_t price) {
    const auto o = static_cast<std::size_t>(op);
    if (costs_[o] == static_cast<std::uint32_t>(relaxation_.costs[o])) paid_.push_back(op);
    costs_[o] -= price;
    lower_effects(op);
}

void LandmarkCut::lower_effects(std::int32_t op) {
    const std::uint32_t cost = costs_[static_cast<std::size_t>(op)];
    if (cost >= goal_value_) return;
    std::uint32_t most = 0;
    for (const std::int32_t fact : preconditions(op)) {
        most = std::max(most, value(fact));
        if (most >= goal_value_ - cost) return;
    }
    for (const std::int32_t effect : relaxation_.effects[static_cast<std::size_t>(op)]) {
        auto& known = values_[static_cast<std::size_t>(effect)];
        if (most + cost >= known) continue;
        known = most + cost;
        queue_.push(known, effect);
    }
}

}  // namespace bugsieve
