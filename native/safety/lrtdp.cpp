// Labelled real-time dynamic programming (Bonet and Geffner 2003) for worst-case values.
//
// There are no probabilities: a trial follows the outcome that looks worst. It ends where it would
// repeat itself, as going round in circles is a way to be safe.

#include "safety/bellman.h"
#include "safety/decider.h"

namespace bugsieve {

namespace {

class Lrtdp final : public Decider {
  public:
    explicit Lrtdp(Values& values) : values_(values), space_(values.space()) {}

    void decide(StateId start, Meter& meter) override {
        while (!values_.is_decided(start)) {
            run_trial(start, meter);
            while (!trial_.empty() && check_solved(trial_.top(), meter)) trial_.pop();
        }
    }

    std::size_t bytes() const override {
        return trial_.bytes() + open_.bytes() + closed_.bytes() + marks_.bytes();
    }

  private:
    void run_trial(StateId start, Meter& meter) {
        ++mark_;
        trial_.clear();
        for (StateId state = start; !values_.is_solved(state) && mark(state);) {
            poll(meter);
            trial_.push(state);
            const Backup best = backup(values_, space_.actions(state, meter));
            values_.raise_lower(state, best.value);
            if (best.value <= values_.budget()) state = worst_outcome(state, best.greedy);
        }
    }

    // The unsolved outcome of greatest value; the state itself if all are solved.
    StateId worst_outcome(StateId state, ActionCursor outcomes) {
        StateId worst = state;
        std::int32_t value = -1;
        while (outcomes.outcomes_left() > 0) {
            const StateId outcome = outcomes.next_outcome();
            if (values_.is_solved(outcome) || values_.lower(outcome) <= value) continue;
            worst = outcome;
            value = values_.lower(outcome);
        }
        return worst;
    }

    // Labels the states that greedy actions reach if none of their values can rise; else lets
    // those that can rise. Whether the state is solved now.
    bool check_solved(StateId state, Meter& meter) {
        if (values_.is_solved(state)) return true;
        ++mark_;
        bool is_stable = true;
        closed_.clear();
        open_.clear();
        open_.push(state);
        mark(state);
        while (!open_.empty()) {
            poll(meter);
            const StateId next = open_.take();
            closed_.push(next);
            Backup best = backup(values_, space_.actions(next, meter));
            if (best.value > values_.lower(next)) {
                is_stable = false;
                continue;
            }
            while (best.greedy.outcomes_left() > 0) {
                const StateId outcome = best.greedy.next_outcome();
                if (!values_.is_solved(outcome) && mark(outcome)) open_.push(outcome);
            }
        }
        close(is_stable, meter);
        return values_.is_solved(state);
    }

    void close(bool is_stable, Meter& meter) {
        if (is_stable) {  // all or none: nothing may stop this loop
            for (; !closed_.empty(); closed_.pop())
                values_.reduce_upper(closed_.top(), values_.lower(closed_.top()));
            return;
        }
        for (; !closed_.empty(); closed_.pop()) {
            poll(meter);
            const StateId state = closed_.top();
            values_.raise_lower(state, backup(values_, space_.actions(state)).value);
        }
    }

    // False if the state has the current mark already.
    bool mark(StateId state) {
        if (marks_.at(state) == mark_) return false;
        marks_[state] = mark_;
        return true;
    }

    void poll(Meter& meter) {
        meter.poll([this] { return space_.bytes() + values_.bytes() + bytes(); });
    }

    Values& values_;
    StateSpace& space_;
    ChunkedStack<StateId> trial_, open_, closed_;
    Chunks<std::uint32_t> marks_;
    std::uint32_t mark_ = 0;
};

}  // namespace

std::unique_ptr<Decider> make_lrtdp(Values& values) { return std::make_unique<Lrtdp>(values); }

}  // namespace bugsieve
