// Value iteration on all states that can be reached from the start.

#include "safety/bellman.h"
#include "safety/decider.h"

namespace bugsieve {

namespace {

class ValueIteration final : public Decider {
  public:
    explicit ValueIteration(Values& values) : values_(values), space_(values.space()) {}

    void decide(StateId start, Meter& meter) override {
        if (values_.is_decided(start)) return;
        explore(start, meter);
        while (sweep(meter))
            if (values_.is_decided(start)) return;
        for (; !reached_.empty(); reached_.pop())
            if (!values_.is_lost(reached_.top(), values_.budget()))
                values_.reduce_upper(reached_.top(), values_.lower(reached_.top()));
    }

    std::size_t bytes() const override { return reached_.bytes() + calls_.bytes(); }

  private:
    // Breadth first; solved states need no successors.
    void explore(StateId start, Meter& meter) {
        ++call_;
        reached_.clear();
        reach(start);
        for (std::size_t next = 0; next < reached_.size(); ++next) {
            poll(meter);
            ActionCursor cursor = space_.actions(reached_[next], meter);
            while (cursor.next_action())
                while (cursor.outcomes_left() > 0) reach(cursor.next_outcome());
        }
    }

    void reach(StateId state) {
        if (calls_.at(state) == call_ || values_.is_solved(state)) return;
        calls_[state] = call_;
        reached_.push(state);
    }

    // From the farthest state to the start, as values come from there. Whether anything changed.
    bool sweep(Meter& meter) {
        bool changed = false;
        for (std::size_t next = reached_.size(); next-- > 0;) {
            poll(meter);
            const StateId state = reached_[next];
            if (values_.is_lost(state, values_.budget())) continue;
            const std::int32_t value = backup(values_, space_.actions(state)).value;
            if (value <= values_.lower(state)) continue;
            values_.raise_lower(state, value);
            changed = true;
        }
        return changed;
    }

    void poll(Meter& meter) {
        meter.poll([this] { return space_.bytes() + values_.bytes() + bytes(); });
    }

    Values& values_;
    StateSpace& space_;
    ChunkedStack<StateId> reached_;
    Chunks<std::uint32_t> calls_;  // in which each state was reached last
    std::uint32_t call_ = 0;
};

}  // namespace

std::unique_ptr<Decider> make_value_iteration(Values& values) {
    return std::make_unique<ValueIteration>(values);
}

}  // namespace bugsieve
