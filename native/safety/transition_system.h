// A model as the safety algorithms know it: its states, their kinds and their successors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bugsieve {

// A non-deterministic transition system whose states are rows of 64-bit words. Two states are
// equal if and only if their words are. Calls may share buffers: one thread at a time.
class TransitionSystem {
  public:
    enum class Kind : std::uint8_t { kOrdinary, kGoal, kUnsafe };  // unsafe is tested first

    // Reused between calls.
    struct Expansion {
        std::vector<std::int32_t> actions;    // applicable, ascending
        std::vector<std::uint32_t> offsets;   // actions.size() + 1, into outcomes, in states
        std::vector<std::uint64_t> outcomes;  // words() per state, distinct per action
    };

    virtual ~TransitionSystem() = default;
    virtual std::size_t words() const = 0;
    virtual std::int32_t num_actions() const = 0;
    virtual Kind classify(const std::uint64_t* state) = 0;
    virtual void expand(const std::uint64_t* state, Expansion& out) = 0;
    // The distinct outcomes of one action, in `words()` each; none where it is not applicable.
    virtual void outcomes(const std::uint64_t* state, std::int32_t action,
                          std::vector<std::uint64_t>& out) = 0;
    // Returns true if some action is applicable; systems that know it without the outcomes
    // override it.
    virtual bool has_action(const std::uint64_t* state) {
        Expansion found;
        expand(state, found);
        return !found.actions.empty();
    }
    // An estimate of how far a state is from danger; 0 where the system has none.
    virtual double distance(const std::uint64_t*) { return 0; }
};

}  // namespace bugsieve
