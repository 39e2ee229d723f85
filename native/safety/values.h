// Bounds on the optimal values of states (J* of papers/001, Section 6.1).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include "safety/state_space.h"

namespace bugsieve {

// J*(s) is the least number of divergences from the policy with which danger can be avoided from s
// under all outcomes. Divergences cost nothing if the radius is infinite. We keep a lower and an
// upper bound of J* per state: the no[s] of TarjanSafe is the lower bound minus 1 and its yes[s]
// the upper bound; the value function of value iteration, LRTDP and LAO* is the lower bound, and a
// state they have solved has an upper bound. Lower bounds only rise, upper bounds only fall, and
// both hold after every question: this is the cache between calls.
class Values {
  public:
    static constexpr std::int32_t kUnknown = std::numeric_limits<std::int32_t>::max();
    static constexpr std::int32_t kLargestRadius = 1 << 30;

    Values(StateSpace& space, std::optional<std::int32_t> radius)
        : space_(space), radius_(radius), budget_(radius.value_or(0)) {}

    StateSpace& space() const { return space_; }
    std::optional<std::int32_t> radius() const { return radius_; }
    // Of a start state: r, or 0 if divergences cost nothing.
    std::int32_t budget() const { return budget_; }
    // The value of danger, and of every state from which it cannot be avoided (U_r).
    std::int32_t worst() const { return budget_ + 1; }
    std::int32_t cost(const ActionCursor& action) const {
        return radius_ && !action.is_policys() ? 1 : 0;
    }

    std::int32_t lower(StateId id) { return at(id).lower; }
    std::int32_t upper(StateId id) { return at(id).upper; }
    bool is_safe(StateId id, std::int32_t budget) { return at(id).upper <= budget; }
    bool is_lost(StateId id, std::int32_t budget) { return at(id).lower > budget; }
    bool is_decided(StateId id) {
        const Bounds& bounds = at(id);
        return bounds.upper <= budget_ || bounds.lower > budget_;
    }
    // Its value needs no further work: it is known, or it is the worst.
    bool is_solved(StateId id) {
        const Bounds& bounds = at(id);
        return bounds.upper <= bounds.lower || bounds.lower > budget_;
    }
    bool is_danger(StateId id) { return at(id).lower == kUnknown; }

    void raise_lower(StateId id, std::int32_t value) {
        Bounds& bounds = at(id);
        if (value > bounds.lower) bounds.lower = value;
    }
    void reduce_upper(StateId id, std::int32_t value) {
        Bounds& bounds = at(id);
        if (value < bounds.upper) bounds.upper = value;
    }

    std::size_t bytes() const { return bounds_.bytes(); }

  private:
    struct Bounds {
        std::int32_t lower = kUntouched;
        std::int32_t upper = kUnknown;
    };
    static constexpr std::int32_t kUntouched = -1;

    Bounds& at(StateId id) {
        Bounds& bounds = bounds_.at(id);
        if (bounds.lower == kUntouched) bounds = first_bounds(id);
        return bounds;
    }
    Bounds first_bounds(StateId id) const {
        switch (space_.system().classify(space_.row(id))) {
            case TransitionSystem::Kind::kUnsafe:
                return {kUnknown, kUnknown};
            case TransitionSystem::Kind::kGoal:
                return {0, 0};
            default:
                return {0, kUnknown};
        }
    }

    StateSpace& space_;
    std::optional<std::int32_t> radius_;
    std::int32_t budget_;
    Chunks<Bounds> bounds_;
};

}  // namespace bugsieve
