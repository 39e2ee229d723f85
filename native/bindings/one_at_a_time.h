// A lock for objects that several Python threads may ask, and that may ask Python in turn.
#pragma once

#include <atomic>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "bindings/gil.h"

namespace bugsieve {

// A thread that waits for the lock has given up the GIL. The lock's holder may need the GIL to
// look for signals and to ask a policy.
class OneAtATime {
  public:
    // Runs work(interrupts) without the GIL; refuses questions from within a question.
    template <class Work>
    void operator()(const char* refusal, Work work) {
        if (asker_ == std::this_thread::get_id()) throw std::invalid_argument(refusal);
        without_gil([&](Interrupts& interrupts) {
            const std::lock_guard lock(mutex_);
            const Asking asking(asker_);
            work(interrupts);
            return 0;
        });
    }

  private:
    class Asking {
      public:
        explicit Asking(std::atomic<std::thread::id>& asker) : asker_(asker) {
            asker_ = std::this_thread::get_id();
        }
        Asking(const Asking&) = delete;
        Asking& operator=(const Asking&) = delete;
        ~Asking() { asker_ = std::thread::id(); }

      private:
        std::atomic<std::thread::id>& asker_;
    };

    std::mutex mutex_;
    std::atomic<std::thread::id> asker_;
};

}  // namespace bugsieve
