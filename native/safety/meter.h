// The limits of one question to a decider.
#pragma once

#include <cstddef>
#include <cstdint>

#include "basis/budget.h"

namespace bugsieve {

// Thrown by a meter when a limit is reached; the question then has no answer.
struct LimitReached {
    Spent limit;
};

class Meter {
  public:
    Meter(const Limits& limits, Interrupts& interrupts)
        : budget_(limits, interrupts), most_expansions_(limits.expansions) {}

    // Call in every turn of a loop; asks for the bytes held, and looks at the clock, now and then.
    template <class Bytes>
    void poll(Bytes bytes) {
        ++turns_;
        if (--turns_to_look_ > 0) return;
        turns_to_look_ = kTurnsBetweenLooks;
        const Spent limit = budget_.spent(-1, bytes());
        if (limit != Spent::kNothing) throw LimitReached{limit};
    }
    void count_expansion() {
        if (most_expansions_ >= 0 && expansions_ >= most_expansions_)
            throw LimitReached{Spent::kExpansions};
        ++expansions_;
        turns_to_look_ -= kTurnsPerExpansion;
    }

    std::int64_t turns() const { return turns_; }

  private:
    static constexpr std::int32_t kTurnsBetweenLooks = 128;
    static constexpr std::int32_t kTurnsPerExpansion = 8;  // it may ask a slow policy

    Budget budget_;
    std::int64_t most_expansions_;
    std::int64_t expansions_ = 0;
    std::int64_t turns_ = 0;
    std::int32_t turns_to_look_ = 1;
};

}  // namespace bugsieve
