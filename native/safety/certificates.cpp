#include "safety/certificates.h"

#include <algorithm>
#include <stdexcept>
#include <unordered_map>
#include <unordered_set>

namespace bugsieve {

namespace {

// The first action after which the upper bounds are as low as the state's own promises.
ActionCursor promised_action(Values& values, StateId state) {
    ActionCursor cursor = values.space().actions(state);
    while (cursor.next_action()) {
        const std::int32_t left = values.upper(state) - values.cost(cursor);
        bool keeps_promise = true;
        for (ActionCursor look = cursor; keeps_promise && look.outcomes_left() > 0;)
            keeps_promise = values.is_safe(look.next_outcome(), left);
        if (keeps_promise) return cursor;
    }
    throw std::logic_error("a state is called safe, but none of its actions is");
}

// A goal or a state without actions.
bool is_final(const StateSpace& space, StateId state) {
    return !space.is_expanded(state) || space.actions(state).actions_left() == 0;
}

// Finds ranks for the lost pairs that can be reached from the start through lost pairs. Every
// lower bound was derived from others that are older, so there are ranks for all of them.
class Ranking {
  public:
    Ranking(Values& values, StateId start, Meter& meter)
        : values_(values), space_(values.space()), meter_(meter) {
        add(start, values.budget());
        for (std::size_t i = 0; i < pairs_.size(); ++i) find_losing_outcomes(i);
        assign_ranks();
    }

    // Only the pairs that the start needs.
    LosingRanking needed() {
        LosingRanking result;
        std::vector<std::uint32_t> open{0};
        std::vector<bool> is_open(pairs_.size(), false);
        is_open[0] = true;
        for (std::size_t next = 0; next < open.size(); ++next) {
            poll();
            const Pair& pair = pairs_[open[next]];
            result.states.push_back(pair.state);
            result.budgets.push_back(pair.budget);
            result.ranks.push_back(pair.rank);
            for_each_action(pair, [&](ActionCursor& outcomes, std::int32_t left) {
                const std::uint32_t best = lowest_outcome(outcomes, left);
                if (best == kDanger || is_open[best]) return;
                is_open[best] = true;
                open.push_back(best);
            });
        }
        return result;
    }

  private:
    static constexpr std::uint32_t kDanger = 0xffffffff;

    struct Pair {
        StateId state;
        std::int32_t budget;
        std::int32_t rank = 0;          // 0: none yet
        std::int32_t open_actions = 0;  // without an outcome that has a rank
        std::uint32_t reasons = 0;      // first of them, plus 1
    };
    // The pair matters to an action, one of those numbered through, of another pair.
    struct Reason {
        std::uint32_t pair;
        std::uint32_t action;
        std::uint32_t next;  // plus 1
    };

    static std::uint64_t key(StateId state, std::int32_t budget) {
        return std::uint64_t{state} << 32 | static_cast<std::uint32_t>(budget);
    }

    std::uint32_t add(StateId state, std::int32_t budget) {
        const auto next = static_cast<std::uint32_t>(pairs_.size());
        const auto [found, is_new] = index_.try_emplace(key(state, budget), next);
        if (is_new) pairs_.push_back({state, budget});
        return found->second;
    }

    // Calls visit(cursor at the action, budget left) for the actions that the budget allows.
    template <class Visit>
    void for_each_action(const Pair& pair, Visit visit) {
        const std::int32_t budget = pair.budget;
        ActionCursor cursor = space_.actions(pair.state);
        while (cursor.next_action()) {
            const std::int32_t left = budget - values_.cost(cursor);
            ActionCursor outcomes = cursor;
            if (left >= 0) visit(outcomes, left);
        }
    }

    void find_losing_outcomes(std::size_t index) {
        poll();
        std::int32_t open_actions = 0;
        for_each_action(pairs_[index], [&](ActionCursor& outcomes, std::int32_t left) {
            const std::uint32_t action = num_actions_++;
            is_settled_.push_back(false);
            for (ActionCursor look = outcomes; look.outcomes_left() > 0;)
                if (values_.is_danger(look.next_outcome())) return;
            ++open_actions;
            while (outcomes.outcomes_left() > 0) {
                const StateId outcome = outcomes.next_outcome();
                if (!values_.is_lost(outcome, left)) continue;
                const std::uint32_t pair = add(outcome, left);
                reasons_.push_back(
                    {static_cast<std::uint32_t>(index), action, pairs_[pair].reasons});
                pairs_[pair].reasons = static_cast<std::uint32_t>(reasons_.size());
            }
        });
        pairs_[index].open_actions = open_actions;
    }

    void assign_ranks() {
        std::vector<std::uint32_t> ranked;
        for (std::uint32_t i = 0; i < pairs_.size(); ++i)
            if (pairs_[i].open_actions == 0) {
                pairs_[i].rank = 1;
                ranked.push_back(i);
            }
        for (std::size_t next = 0; next < ranked.size(); ++next) {
            poll();
            const Pair& pair = pairs_[ranked[next]];
            for (std::uint32_t r = pair.reasons; r != 0; r = reasons_[r - 1].next) {
                const Reason& reason = reasons_[r - 1];
                if (is_settled_[reason.action]) continue;
                is_settled_[reason.action] = true;
                if (--pairs_[reason.pair].open_actions > 0) continue;
                pairs_[reason.pair].rank = pair.rank + 1;
                ranked.push_back(reason.pair);
            }
        }
        if (pairs_[0].rank == 0)
            throw std::logic_error("a state is called lost, but no ranking shows it");
    }

    std::uint32_t lowest_outcome(ActionCursor& outcomes, std::int32_t left) {
        std::uint32_t best = kDanger;
        for (ActionCursor look = outcomes; look.outcomes_left() > 0;)
            if (values_.is_danger(look.next_outcome())) return kDanger;
        while (outcomes.outcomes_left() > 0) {
            const auto found = index_.find(key(outcomes.next_outcome(), left));
            if (found == index_.end() || pairs_[found->second].rank == 0) continue;
            if (best == kDanger || pairs_[found->second].rank < pairs_[best].rank)
                best = found->second;
        }
        return best;
    }

    void poll() {
        meter_.poll([this] {
            return space_.bytes() + values_.bytes() + pairs_.capacity() * sizeof(Pair) +
                   reasons_.capacity() * sizeof(Reason);
        });
    }

    Values& values_;
    StateSpace& space_;
    Meter& meter_;
    std::vector<Pair> pairs_;
    std::vector<Reason> reasons_;
    std::unordered_map<std::uint64_t, std::uint32_t> index_;
    std::uint32_t num_actions_ = 0;
    std::vector<bool> is_settled_;
};

}  // namespace

AlternativePolicy alternative_policy(Values& values, StateId start, Meter& meter) {
    if (!values.is_safe(start, values.budget()))
        throw std::invalid_argument("the state was not found safe");
    AlternativePolicy result;
    const StateSpace& space = values.space();
    if (is_final(space, start)) return result;
    std::unordered_set<StateId> listed{start};
    result.states.push_back(start);
    for (std::size_t next = 0; next < result.states.size(); ++next) {
        meter.poll([&] { return space.bytes() + values.bytes() + result.states.capacity() * 40; });
        const StateId state = result.states[next];
        ActionCursor cursor = promised_action(values, state);
        result.actions.push_back(cursor.action());
        result.divergences.push_back(values.upper(state));
        while (cursor.outcomes_left() > 0) {
            const StateId outcome = cursor.next_outcome();
            if (!is_final(space, outcome) && listed.insert(outcome).second)
                result.states.push_back(outcome);
        }
    }
    return result;
}

LosingRanking losing_ranking(Values& values, StateId start, Meter& meter) {
    if (!values.is_lost(start, values.budget()))
        throw std::invalid_argument("the state was not found lost");
    if (values.is_danger(start)) return {};
    return Ranking(values, start, meter).needed();
}

}  // namespace bugsieve
