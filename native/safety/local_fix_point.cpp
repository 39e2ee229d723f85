#include "safety/local_fix_point.h"

#include "safety/bellman.h"

namespace bugsieve {

namespace {

class LocalFixPoint {
  public:
    LocalFixPoint(Values& values, Meter& meter)
        : values_(values), space_(values.space()), meter_(meter) {}

    void decide(StateId start) {
        examine(start);
        while (!values_.is_decided(start)) {
            poll();
            // Rises first: they may turn marks away from states that then need not be examined at
            // all.
            if (!risen_.empty())
                carry_back(risen_.take());
            else if (!open_.empty())
                examine_next();
            else
                return settle();
        }
    }

  private:
    struct Node {
        std::uint32_t mark = kNoMark;  // actions behind the marked one
        std::uint32_t watchers = 0;    // first of them, plus 1
        bool is_risen = false;         // and waits to be carried back
    };
    // A state whose marked action leads, or once led, to the state that is watched.
    struct Watcher {
        StateId state = 0;
        std::uint32_t next = 0;  // plus 1
    };
    // A state to examine, and where we found it.
    struct Open {
        StateId state = 0;
        StateId from = 0;
        std::uint32_t mark = 0;  // of the other state
    };
    static constexpr std::uint32_t kNoMark = 0xffffffff;

    void examine(StateId state) {
        if (nodes_.at(state).mark != kNoMark || values_.is_solved(state)) return;
        update(state, space_.actions(state, meter_));
        examined_.push(state);
    }

    void examine_next() {
        const Open next = open_.take();
        // The mark that led here may have moved on. If it comes back, update() opens the state
        // anew; so the outcomes of every mark get examined, which settle() relies on.
        const bool is_needed =
            nodes_[next.from].mark == next.mark && !values_.is_solved(next.from);
        if (is_needed) examine(next.state);
    }

    void carry_back(StateId state) {
        nodes_[state].is_risen = false;
        // Watchers are never removed. One whose mark has moved on is backed up in vain. But a
        // state only rises as often as there are values, so that stays in proportion.
        for (std::uint32_t w = nodes_[state].watchers; w != 0; w = watchers_[w - 1].next) {
            const StateId watcher = watchers_[w - 1].state;
            if (!values_.is_solved(watcher)) update(watcher, space_.actions(watcher));
        }
    }

    // Sets value and mark by a Bellman backup.
    void update(StateId state, const ActionCursor& actions) {
        poll();
        Backup best = backup(values_, actions);
        Node& node = nodes_.at(state);
        if (best.value > values_.lower(state)) {
            values_.raise_lower(state, best.value);
            if (!node.is_risen) risen_.push(state);
            node.is_risen = true;
        }
        if (best.greedy.actions_left() == node.mark) return;
        node.mark = best.greedy.actions_left();
        // The value is known, or the worst: it cannot rise further by its outcomes.
        if (values_.is_solved(state)) return;
        while (best.greedy.outcomes_left() > 0) {
            const StateId outcome = best.greedy.next_outcome();
            if (values_.is_solved(outcome)) continue;
            Node& watched = nodes_.at(outcome);
            watchers_.push({state, watched.watchers});
            watched.watchers = static_cast<std::uint32_t>(watchers_.size());
            if (watched.mark == kNoMark) open_.push({outcome, state, node.mark});
        }
    }

    void settle() {
        // Nothing rises and nothing is open: the examined states are closed under their marks, and
        // each value is what its marked action costs plus the worst value behind it. Following the
        // marks thus never takes more divergences than the value says, and never meets danger. So
        // these lower bounds are upper bounds as well: the least fix-point, J* (papers/001,
        // Theorem 2). Solved ones keep what they have.
        for (; !examined_.empty(); examined_.pop()) {
            const StateId state = examined_.top();
            if (!values_.is_solved(state)) values_.reduce_upper(state, values_.lower(state));
        }
    }

    void poll() {
        meter_.poll([this] { return space_.bytes() + values_.bytes() + bytes(); });
    }

    std::size_t bytes() const {
        return nodes_.bytes() + watchers_.bytes() + open_.bytes() + examined_.bytes() +
               risen_.bytes();
    }

    Values& values_;
    StateSpace& space_;
    Meter& meter_;
    Chunks<Node> nodes_;
    ChunkedStack<Watcher> watchers_;
    ChunkedStack<Open> open_;
    ChunkedStack<StateId> examined_, risen_;
};

}  // namespace

void decide_by_local_fix_point(Values& values, StateId start, Meter& meter) {
    LocalFixPoint(values, meter).decide(start);
}

}  // namespace bugsieve
