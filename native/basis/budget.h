// Limits of a long call, and the question whether the user pressed Ctrl-C.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <utility>

namespace bugsieve {

// Thrown when the caller's interrupt check says stop.
struct Interrupted : std::exception {};

// Polls an interrupt check at most every few milliseconds; cheap to call in inner loops. The time
// is that of the thread over all its calls: many short ones must not pass as no work.
class Interrupts {
  public:
    using Clock = std::chrono::steady_clock;

    explicit Interrupts(std::function<bool()> pending) : pending_(std::move(pending)) {}

    void check(Clock::time_point now = Clock::now()) {
        if (now < next_) return;
        next_ = now + kPause;  // first, as the check may make calls of its own
        if (pending_ && pending_()) throw Interrupted();
    }

  private:
    static constexpr std::chrono::milliseconds kPause{20};

    static Clock::time_point& next_of_thread() {
        thread_local Clock::time_point next{};
        return next;
    }

    std::function<bool()> pending_;
    Clock::time_point& next_ = next_of_thread();
};

struct Limits {
    std::int64_t expansions = -1;  // -1: no limit
    double seconds = -1;
    std::int64_t bytes = -1;
};

enum class Spent { kNothing, kExpansions, kTime, kMemory };

// Limits counted from its creation on. A search that is given one stops when it is spent.
class Budget {
  public:
    Budget(const Budget&) = delete;
    Budget& operator=(const Budget&) = delete;
    Budget(const Limits& limits, Interrupts& interrupts)
        : limits_(limits), interrupts_(interrupts), start_(Interrupts::Clock::now()) {}

    Interrupts& interrupts() { return interrupts_; }

    // Call before each expansion, and before each portion of long work between expansions, with
    // the expansions done and the bytes held so far.
    Spent spent(std::int64_t expansions, std::size_t bytes) {
        const auto now = Interrupts::Clock::now();
        interrupts_.check(now);
        if (limits_.expansions >= 0 && expansions >= limits_.expansions) return Spent::kExpansions;
        if (limits_.seconds >= 0 &&
            std::chrono::duration<double>(now - start_).count() >= limits_.seconds)
            return Spent::kTime;
        if (limits_.bytes >= 0 && bytes > static_cast<std::size_t>(limits_.bytes))
            return Spent::kMemory;
        return Spent::kNothing;
    }

    // Until the time is up; infinite without a limit on time.
    double seconds_left() const {
        if (limits_.seconds < 0) return std::numeric_limits<double>::infinity();
        const std::chrono::duration<double> used = Interrupts::Clock::now() - start_;
        return limits_.seconds - used.count();
    }
    // For long work that counts as no expansion.
    bool is_time_up() {
        interrupts_.check();
        return seconds_left() <= 0;
    }

  private:
    Limits limits_;
    Interrupts& interrupts_;
    Interrupts::Clock::time_point start_;
};

}  // namespace bugsieve
