// Long work without the GIL, which Ctrl-C stops and which the end of Python may overtake.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <thread>

#include "basis/budget.h"

namespace bugsieve {

namespace nb = nanobind;

// Other Python threads run while this lives; it takes the GIL back when it dies.
class WithoutGil {
  public:
    WithoutGil() : thread_(PyEval_SaveThread()) {}
    WithoutGil(const WithoutGil&) = delete;
    WithoutGil& operator=(const WithoutGil&) = delete;
    ~WithoutGil() { take_gil(); }

    // Whether Python has a signal waiting; if so, a Python error is set.
    bool is_interrupt_pending() {
        take_gil();
        const bool pending = PyErr_CheckSignals() != 0;
        thread_ = PyEval_SaveThread();
        return pending;
    }

  private:
    // Up to Python 3.13, a daemon thread that asks for the GIL while Python ends is ended by
    // pthread_exit, which unwinds the stack like an exception. The frames above us let none pass
    // and would abort the process, so we catch it and wait here for the end, as later Pythons do.
    void take_gil() noexcept {
        try {
            PyEval_RestoreThread(thread_);
        } catch (...) {
            for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
        }
    }

    PyThreadState* thread_;
};

// Runs a long piece of work without the GIL; Ctrl-C ends it with KeyboardInterrupt.
template <class Work>
auto without_gil(Work work) {
    try {
        WithoutGil gil;
        Interrupts interrupts([&gil] { return gil.is_interrupt_pending(); });
        return work(interrupts);
    } catch (const Interrupted&) {
        throw nb::python_error();
    }
}

}  // namespace bugsieve
