// The part of a transition system that has been explored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "safety/meter.h"
#include "safety/policy_view.h"
#include "safety/state_numbers.h"
#include "safety/transition_system.h"

namespace bugsieve {

// Runs over the actions of an expanded state, the policy's first, and over their outcomes.
// Copies of it are independent; none becomes invalid when the space grows.
class ActionCursor {
  public:
    ActionCursor(StateId state, const std::uint8_t* record) : state_(state), at_(record) {
        const std::uint32_t head = read();
        actions_left_ = head >> 1;
        is_policys_next_ = (head & 1) != 0;
    }

    bool next_action() {
        for (; outcomes_left_ > 0; --outcomes_left_) read();
        if (actions_left_ == 0) return false;
        --actions_left_;
        is_policys_ = is_policys_next_;
        is_policys_next_ = false;
        action_ = static_cast<std::int32_t>(read());
        outcomes_left_ = read();
        return true;
    }
    std::int32_t action() const { return action_; }
    bool is_policys() const { return is_policys_; }
    std::uint32_t outcomes_left() const { return outcomes_left_; }
    std::uint32_t actions_left() const { return actions_left_; }
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

    StateId state_;
    std::uint32_t actions_left_ = 0;
    const std::uint8_t* at_;
    std::uint32_t outcomes_left_ = 0;
    std::int32_t action_ = -1;
    bool is_policys_ = false;
    bool is_policys_next_ = false;
};

// Expands each state once and keeps the result in a few bytes per outcome.
class StateSpace {
  public:
    // Without a policy, no action counts as the policy's.
    StateSpace(TransitionSystem& system, PolicyView* policy);
    StateSpace(const StateSpace&) = delete;
    StateSpace& operator=(const StateSpace&) = delete;

    TransitionSystem& system() const { return system_; }
    StateId insert(const std::uint64_t* row);
    const std::uint64_t* row(StateId id) const { return numbers_[id]; }
    std::size_t size() const { return numbers_.size(); }
    std::size_t expanded() const { return expanded_; }
    std::size_t bytes() const;

    bool is_expanded(StateId id) const { return records_[id] != nullptr; }
    ActionCursor actions(StateId id, Meter& meter) {
        if (records_[id] == nullptr) expand(id, meter);
        return ActionCursor(id, records_[id]);
    }
    // Only for expanded states.
    ActionCursor actions(StateId id) const { return ActionCursor(id, records_[id]); }

  private:
    void expand(StateId id, Meter& meter);
    void write_action(StateId id, std::size_t index);
    void write(std::uint32_t value);
    const std::uint8_t* keep(std::span<const std::uint8_t> record);

    TransitionSystem& system_;
    PolicyView* policy_;
    StateNumbers numbers_;
    std::vector<const std::uint8_t*> records_;
    std::vector<std::unique_ptr<std::uint8_t[]>> blocks_;
    std::size_t block_used_ = 0, block_size_ = 0, block_bytes_ = 0;
    std::size_t expanded_ = 0;
    TransitionSystem::Expansion expansion_;
    std::vector<std::uint8_t> record_;
};

}  // namespace bugsieve
