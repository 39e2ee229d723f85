// TarjanSafe, Algorithm 2 of papers/001, with stacks in place of recursion.
//
// A pair is a state with a budget of divergences. Every visited pair gets an entry on a stack. It
// counts as safe while it is there: it is in progress, or it was found safe under the condition
// that entries below it are. When the first pair of a component (its root) turns out safe, so are
// all entries above it, whose conditions lie within the component, and all are cached. When any
// pair fails, its own failure is certain and cached, but what lies above it may have counted on
// it: those entries are forgotten and examined anew if somebody asks.
//
// Budgets never rise along a path, so all pairs of a component have the same budget. Hence all
// entries above a frame have its budget, and the youngest entry of a state is the only one that
// can be the pair in question.

#include <algorithm>
#include <vector>

#include "safety/decider.h"

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
        open(start, values_.budget(), meter);
        while (!frames_.empty()) {
            meter.poll(space_.bytes() + values_.bytes() + bytes());
            advance(meter);
        }
    }

    std::size_t bytes() const override {
        return frames_.capacity() * sizeof(Frame) + entries_.capacity() * sizeof(Entry) +
               youngest_.capacity() * sizeof(youngest_[0]);
    }

  private:
    struct Entry {
        StateId state;
        std::int32_t budget;
        std::uint32_t older;  // entry of the same state, plus 1
    };
    struct Frame {
        ActionCursor cursor;
        StateId state;
        std::int32_t budget;
        std::uint32_t entry;
        std::uint32_t lowest;   // entry that this one depends on
        std::int32_t left = 0;  // budget after the action under the cursor
    };
    void open(StateId state, std::int32_t budget, Meter& meter) {
        ActionCursor cursor = space_.actions(state, meter);
        if (cursor.actions_left() == 0) {
            values_.reduce_upper(state, 0);
            return;
        }
        if (youngest_.size() < space_.size()) youngest_.resize(space_.size(), 0);
        const auto entry = static_cast<std::uint32_t>(entries_.size());
        entries_.push_back({state, budget, youngest_[state]});
        youngest_[state] = entry + 1;
        frames_.push_back({cursor, state, budget, entry, entry});
        choose_action();
    }

    // Looks at one more outcome of the action that the last frame tries.
    void advance(Meter& meter) {
        Frame& frame = frames_.back();
        if (frame.cursor.outcomes_left() == 0) return succeed();
        const StateId outcome = frame.cursor.next_outcome();
        if (values_.is_safe(outcome, frame.left)) return;
        if (values_.is_lost(outcome, frame.left)) return choose_action();
        const std::uint32_t entry = outcome < youngest_.size() ? youngest_[outcome] : 0;
        if (entry != 0 && entries_[entry - 1].budget == frame.left)
            frame.lowest = std::min(frame.lowest, entry - 1);
        else
            open(outcome, frame.left, meter);
    }

    // Moves the last frame to the next action it can afford and of which no outcome is known to be
    // lost. A frame without any fails, and with it the action of the frame below.
    void choose_action() {
        while (!frames_.empty() && !find_action(frames_.back())) {
            const Frame& frame = frames_.back();
            values_.raise_lower(frame.state, frame.budget + 1);
            forget_entries(frame.entry);
            frames_.pop_back();
        }
    }

    bool find_action(Frame& frame) {
        while (frame.cursor.next_action()) {
            frame.left = frame.budget - values_.cost(frame.cursor);
            if (frame.left >= 0 && !is_action_lost(frame)) return true;
        }
        return false;
    }

    bool is_action_lost(const Frame& frame) {
        for (ActionCursor look = frame.cursor; look.outcomes_left() > 0;)
            if (values_.is_lost(look.next_outcome(), frame.left)) return true;
        return false;
    }

    // Every outcome of the action is safe, maybe on condition that some entries below are.
    void succeed() {
        const Frame frame = frames_.back();
        frames_.pop_back();
        if (frame.lowest < frame.entry) {
            frames_.back().lowest = std::min(frames_.back().lowest, frame.lowest);
            return;
        }
        for (std::size_t i = frame.entry; i < entries_.size(); ++i)
            values_.reduce_upper(entries_[i].state, entries_[i].budget);
        forget_entries(frame.entry);
    }

    void forget_entries(std::size_t from) {
        while (entries_.size() > from) {
            youngest_[entries_.back().state] = entries_.back().older;
            entries_.pop_back();
        }
    }

    Values& values_;
    StateSpace& space_;
    std::vector<Frame> frames_;
    std::vector<Entry> entries_;
    std::vector<std::uint32_t> youngest_;  // entry of each state, plus 1
};

}  // namespace

std::unique_ptr<Decider> make_tarjan_safe(Values& values) {
    return std::make_unique<TarjanSafe>(values);
}

}  // namespace bugsieve
