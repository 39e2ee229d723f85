// LAO* (Hansen and Zilberstein 2001) for worst-case values.
//
// A pass follows the marked (greedy) actions from the start and expands what it meets; then the
// values that rose are carried back to the states whose marked action leads there, which may mark
// another action. When a pass raises no value, its states are solved.

#include "safety/bellman.h"
#include "safety/decider.h"

namespace bugsieve {

namespace {

class LaoStar final : public Decider {
  public:
    explicit LaoStar(Values& values) : values_(values), space_(values.space()) {}

    void decide(StateId start, Meter& meter) override {
        while (!values_.is_decided(start)) {
            const bool is_stable = pass(start, meter);
            carry_back(meter);
            if (!is_stable) continue;
            for (; !visited_.empty(); visited_.pop())
                values_.reduce_upper(visited_.top(), values_.lower(visited_.top()));
        }
    }

    std::size_t bytes() const override {
        return nodes_.bytes() + watchers_.bytes() + visited_.bytes() + open_.bytes() +
               risen_.bytes();
    }

  private:
    struct Node {
        std::uint32_t pass = 0;                // in which it was visited last
        std::uint32_t actions_left = kNoMark;  // behind the marked action
        std::uint32_t watchers = 0;            // first of them, plus 1
        bool is_risen = false;                 // and waits to be carried back
    };
    // A state whose marked action leads, or once led, to the state that is watched.
    struct Watcher {
        StateId state = 0;
        std::uint32_t next = 0;  // plus 1
    };
    static constexpr std::uint32_t kNoMark = 0xffffffff;

    // Returns true if no value rose. Values that rose in an interrupted call are carried back
    // first.
    bool pass(StateId start, Meter& meter) {
        carry_back(meter);
        ++pass_;
        visited_.clear();
        open_.clear();
        visit(start);
        while (!open_.empty()) {
            poll(meter);
            const StateId state = open_.top();
            ActionCursor cursor = space_.actions(state, meter);
            open_.pop();
            update(state, cursor);
            if (values_.is_lost(state, values_.budget())) continue;
            visited_.push(state);
            while (cursor.actions_left() > node(state).actions_left) cursor.next_action();
            while (cursor.outcomes_left() > 0) visit(cursor.next_outcome());
        }
        return risen_.empty();
    }

    void visit(StateId state) {
        if (node(state).pass == pass_ || values_.is_solved(state)) return;
        node(state).pass = pass_;
        open_.push(state);
    }

    void carry_back(Meter& meter) {
        while (!risen_.empty()) {
            poll(meter);
            const StateId state = risen_.take();
            node(state).is_risen = false;
            for (std::uint32_t w = node(state).watchers; w != 0; w = watchers_[w - 1].next) {
                const StateId watcher = watchers_[w - 1].state;
                if (!values_.is_solved(watcher)) update(watcher, space_.actions(watcher));
            }
        }
    }

    // Sets value and mark by a Bellman backup.
    void update(StateId state, const ActionCursor& actions) {
        Backup best = backup(values_, actions);
        if (best.value > values_.lower(state)) {
            values_.raise_lower(state, best.value);
            if (!node(state).is_risen) risen_.push(state);
            node(state).is_risen = true;
        }
        if (best.greedy.actions_left() == node(state).actions_left) return;
        node(state).actions_left = best.greedy.actions_left();
        while (best.greedy.outcomes_left() > 0) {
            const StateId outcome = best.greedy.next_outcome();
            if (values_.is_solved(outcome)) continue;
            watchers_.push({state, node(outcome).watchers});
            node(outcome).watchers = static_cast<std::uint32_t>(watchers_.size());
        }
    }

    Node& node(StateId state) { return nodes_.at(state); }

    void poll(Meter& meter) {
        meter.poll([this] { return space_.bytes() + values_.bytes() + bytes(); });
    }

    Values& values_;
    StateSpace& space_;
    Chunks<Node> nodes_;
    ChunkedStack<Watcher> watchers_;
    ChunkedStack<StateId> visited_, open_, risen_;
    std::uint32_t pass_ = 0;
};

}  // namespace

std::unique_ptr<Decider> make_lao_star(Values& values) {
    return std::make_unique<LaoStar>(values);
}

}  // namespace bugsieve
