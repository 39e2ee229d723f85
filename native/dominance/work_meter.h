// Counts the work of a long computation, so that its limit does not depend on the machine.
#pragma once

#include <cstdint>

#include "basis/budget.h"

namespace bugsieve {

// Thrown when the limit is met; the caller falls back to less.
struct WorkSpent {};

class WorkMeter {
  public:
    WorkMeter(std::int64_t limit, Interrupts& interrupts)
        : limit_(limit), interrupts_(interrupts) {}

    void spend(std::size_t steps) {
        interrupts_.check();
        done_ += static_cast<std::int64_t>(steps);
        if (limit_ >= 0 && done_ > limit_) throw WorkSpent();
    }
    std::int64_t done() const { return done_; }
    // For what must be done after the limit was met.
    void lift() { limit_ = -1; }

  private:
    std::int64_t limit_;
    std::int64_t done_ = 0;
    Interrupts& interrupts_;
};

}  // namespace bugsieve
