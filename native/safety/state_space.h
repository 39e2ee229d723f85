// The part of a transition system that has been explored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "safety/chunks.h"
#include "safety/meter.h"
#include "safety/policy_view.h"
#include "safety/state_numbers.h"
#include "safety/transition_system.h"

namespace bugsieve {

// Runs over the actions of an expanded state, the policy's first, and over their outcomes, the
// model's last first.
// Copies of it are independent; none becomes invalid when the space grows.
class ActionCursor {
  public:
    ActionCursor() = default;
    ActionCursor(StateId state, const std::uint8_t* record)
        : at_(record), state_(state), head_(read()) {}

    bool next_action() {
        for (; outcomes_left_ > 0; --outcomes_left_) read();
        if (head_ < 2) return false;
        choice_ = read() << 1 | (head_ & 1);
        head_ = (head_ - 2) & ~std::uint32_t{1};
        outcomes_left_ = read();
        return true;
    }
    StateId state() const { return state_; }
    std::int32_t action() const { return static_cast<std::int32_t>(choice_ >> 1); }
    bool is_policys() const { return (choice_ & 1) != 0; }
    std::uint32_t outcomes_left() const { return outcomes_left_; }
    std::uint32_t actions_left() const { return head_ >> 1; }
    StateId next_outcome() {
        --outcomes_left_;
        const std::uint32_t code = read();
        return state_ + ((code >> 1) ^ (0 - (code & 1)));
    }

  private:
    std::uint32_t read() {
        std::uint32_t value = *at_ & 0x7f;
        for (unsigned shift = 7; *at_++ & 0x80; shift += 7)
            value |= static_cast<std::uint32_t>(*at_ & 0x7f) << shift;
        return value;
    }

    // Searches keep many of these: 24 bytes.
    const std::uint8_t* at_ = nullptr;
    StateId state_ = 0;
    std::uint32_t head_ = 0;    // twice the actions left, plus 1 if the next one is the policy's
    std::uint32_t choice_ = 0;  // twice the action, plus 1 if it is the policy's
    std::uint32_t outcomes_left_ = 0;
};

// Expands each state once and keeps the result in a few bytes per outcome. A policy that prefers
// batches is asked about states that wait to be expanded along with the one that is.
class StateSpace {
  public:
    // Without a policy, no action counts as the policy's.
    StateSpace(TransitionSystem& system, PolicyView* policy);
    StateSpace(const StateSpace&) = delete;
    StateSpace& operator=(const StateSpace&) = delete;

    TransitionSystem& system() const { return system_; }
    StateId insert(const std::uint64_t* row) { return keep(numbers_.insert(row)); }
    const std::uint64_t* row(StateId id) const { return numbers_[id]; }
    std::size_t size() const { return numbers_.size(); }
    std::size_t expanded() const { return expanded_; }
    // Of all actions of the expanded states.
    std::size_t outcomes() const { return outcomes_; }
    std::size_t bytes() const;

    bool is_expanded(StateId id) const { return records_.get(id) != nullptr; }
    ActionCursor actions(StateId id, Meter& meter) {
        if (records_.at(id) == nullptr) expand(id, meter);
        return ActionCursor(id, records_[id]);
    }
    // Only for expanded states.
    ActionCursor actions(StateId id) const { return ActionCursor(id, records_[id]); }

  private:
    StateId keep(StateNumbers::Inserted inserted);
    void expand(StateId id, Meter& meter);
    std::int32_t policys_choice(StateId id);
    void ask(StateId id);
    void gather_batch(StateId id);
    bool needs_answer(StateId id);
    void write_action(StateId id, std::size_t index);
    void write(std::uint32_t value);
    const std::uint8_t* keep(std::span<const std::uint8_t> record);

    TransitionSystem& system_;
    PolicyView* policy_;
    StateNumbers numbers_;
    Chunks<const std::uint8_t*> records_;
    std::vector<std::unique_ptr<std::uint8_t[]>> blocks_;
    std::size_t block_used_ = 0, block_size_ = 0, block_bytes_ = 0;
    std::size_t expanded_ = 0, outcomes_ = 0;
    TransitionSystem::Expansion expansion_;
    std::vector<std::uint32_t> hashes_;  // of the outcomes
    std::vector<std::uint8_t> record_;
    // Of a policy that prefers batches.
    std::size_t most_at_once_;
    Chunks<std::int32_t> answers_;          // action plus 2; 0 where it was not asked
    ChunkedStack<StateId> waiting_;         // states that it may be asked about, the newest on top
    std::vector<StateId> batch_;            // of one question
    std::vector<std::uint64_t> questions_;  // their rows
    std::vector<std::int32_t> choices_;
};

}  // namespace bugsieve
