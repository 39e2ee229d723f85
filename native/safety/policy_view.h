// What the safety deciders ask of the policy under test.
#pragma once

#include <cstdint>

namespace bugsieve {

class PolicyView {
  public:
    virtual ~PolicyView() = default;
    // What the policy does in a state: an action of the system, or -1 for none.
    virtual std::int32_t action(const std::uint64_t* state) = 0;
};

}  // namespace bugsieve
