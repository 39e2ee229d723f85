// TarjanSafe, Algorithm 2 of papers/001, with stacks in place of recursion.
//
// A pair is a state with a budget of divergences. Every visited pair gets an entry on a stack. It
// counts as safe while it is there: it is in progress, or it was found safe under the condition
// that entries below it are. When the first pair of a component (its root) turns out safe, so are
// all entries above it, as their conditions lie within the component. All are cached. When any
// pair fails, its own failure is certain and cached, but what lies above it may have counted on
// it: those entries are forgotten, and examined anew if they are asked for.
//
// Budgets never rise along a path, so all pairs of a component have the same budget. Hence all
// entries above a frame have its budget, and the youngest entry of a state is the only one that
// can be the pair in question.
//
// Where failures come late and often, the same pairs may be forgotten again and again. The local
// fix-point takes over when more have been forgotten than a few times those that were decided or
// on the stack at once. It forgets nothing but keeps more per pair. So the whole takes time in
// proportion to the pairs and their outcomes.

#include <algorithm>

#include "safety/decider.h"
#include "safety/local_fix_point.h"

namespace bugsieve {

namespace {

class TarjanSafe final : public Decider {
  public:
    explicit TarjanSafe(Values& values) : values_(values), space_(values.space()) {}

    void decide(StateId start, Meter& meter) override {
        if (values_.is_decided(start)) return;
        // Ctrl-C, limits and failing policies may have ended an earlier search anywhere.
        frames_.clear();
        forget_entries(0);
        forgotten_ = progress_ = deepest_ = 0;
        open(start, values_.budget(), meter);
        while (!frames_.empty()) {
            meter.poll([this] { return space_.bytes() + values_.bytes() + bytes(); });
            advance(meter);
            if (forgotten_ > kPatience * (progress_ + deepest_)) [[unlikely]]
                return decide_by_local_fix_point(values_, start, meter);
        }
    }

    std::size_t bytes() const override {
        return frames_.bytes() + entries_.bytes() + youngest_.bytes();
    }

  private:
    struct Entry {
        StateId state = 0;
        std::int32_t budget = 0;
        std::uint32_t older = 0;  // entry of the same state, plus 1
    };
    // A pair in progress, the cursor at the action that it tries.
    struct Frame {
        ActionCursor cursor;
        std::uint32_t entry = 0;
        std::uint32_t lowest = 0;  // entry that this one depends on
    };
    static constexpr std::size_t kPatience = 2;

    void open(StateId state, std::int32_t budget, Meter& meter) {
        const ActionCursor cursor = space_.actions(state, meter);
        if (cursor.actions_left() == 0) {
            values_.reduce_upper(state, 0);
            return;
        }
        const auto entry = static_cast<std::uint32_t>(entries_.size());
        entries_.push({state, budget, youngest_.at(state)});
        youngest_[state] = entry + 1;
        deepest_ = std::max(deepest_, entries_.size());
        frames_.push({cursor, entry, entry});
        choose_action();
    }

    // Looks at one more outcome of the action that the last frame tries.
    void advance(Meter& meter) {
        Frame& frame = frames_.top();
        if (frame.cursor.outcomes_left() == 0) return succeed();
        const StateId outcome = frame.cursor.next_outcome();
        const std::int32_t left = budget_left(frame);
        if (values_.is_safe(outcome, left)) return;
        if (values_.is_lost(outcome, left)) return choose_action();
        const std::uint32_t entry = youngest_.get(outcome);
        if (entry != 0 && entries_[entry - 1].budget == left)
            frame.lowest = std::min(frame.lowest, entry - 1);
        else
            open(outcome, left, meter);
    }

    // After the action under the cursor.
    std::int32_t budget_left(const Frame& frame) {
        return entries_[frame.entry].budget - values_.cost(frame.cursor);
    }

    // Moves the last frame to the next action it can afford and of which no outcome is known to be
    // lost. A frame without any fails, and with it the action of the frame below.
    void choose_action() {
        while (!frames_.empty() && !find_action(frames_.top())) {
            const std::uint32_t entry = frames_.take().entry;
            values_.raise_lower(entries_[entry].state, entries_[entry].budget + 1);
            ++progress_;
            forgotten_ += entries_.size() - entry - 1;
            forget_entries(entry);
        }
    }

    bool find_action(Frame& frame) {
        while (frame.cursor.next_action()) {
            const std::int32_t left = budget_left(frame);
            if (left >= 0 && !is_lost(frame.cursor, left)) return true;
        }
        return false;
    }

    bool is_lost(ActionCursor action, std::int32_t left) {
        while (action.outcomes_left() > 0)
            if (values_.is_lost(action.next_outcome(), left)) return true;
        return false;
    }

    // Every outcome of the action is safe, maybe on condition that some entries below are.
    void succeed() {
        const Frame frame = frames_.take();
        if (frame.lowest < frame.entry) {
            frames_.top().lowest = std::min(frames_.top().lowest, frame.lowest);
            return;
        }
        for (std::size_t i = frame.entry; i < entries_.size(); ++i)
            values_.reduce_upper(entries_[i].state, entries_[i].budget);
        progress_ += entries_.size() - frame.entry;
        forget_entries(frame.entry);
    }

    void forget_entries(std::size_t from) {
        for (; entries_.size() > from; entries_.pop())
            youngest_[entries_.top().state] = entries_.top().older;
    }

    Values& values_;
    StateSpace& space_;
    ChunkedStack<Frame> frames_;
    ChunkedStack<Entry> entries_;
    Chunks<std::uint32_t> youngest_;  // entry of each state, plus 1
    // Of the present question, in pairs.
    std::size_t forgotten_ = 0;
    std::size_t progress_ = 0;  // decided
    std::size_t deepest_ = 0;   // on the stack at once
};

}  // namespace

std::unique_ptr<Decider> make_tarjan_safe(Values& values) {
    return std::make_unique<TarjanSafe>(values);
}

}  // namespace bugsieve
