// The questions of fuzzing and the safety deciders to the policy under test.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bugsieve {

class PolicyView {
  public:
    virtual ~PolicyView() = default;
    // The policy's action in each of `count` states, whose rows follow each other: an action of
    // the system, applicable or not, or -1 for none. Answers do not depend on the batch.
    virtual void actions(const std::uint64_t* states, std::size_t count, std::int32_t* out) = 0;

    // The number of states that it is best asked about at once: more than one if a call costs much
    // beside the answers.
    virtual std::size_t preferred_batch() const { return 1; }

    std::int32_t action(const std::uint64_t* state) {
        std::int32_t answer;
        actions(state, 1, &answer);
        return answer;
    }
};

}  // namespace bugsieve
