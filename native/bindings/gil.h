// Long work without the GIL, which Ctrl-C and stop tokens end and which the end of Python may
// overtake.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <thread>

#include "basis/budget.h"

namespace bugsieve {

namespace nb = nanobind;

// Returns true if a stop token of this thread has ended; then, Python's Stopped is set. Needs the
// GIL.
inline bool is_stopped() {
    // If the module is not imported, or is just being imported, no token can be active.
    const nb::object name = nb::str("bugsieve.base.stopping");
    const nb::object module = nb::steal(PyImport_GetModule(name.ptr()));
    if (!module.is_valid()) return PyErr_Occurred() != nullptr;
    const nb::object check = nb::getattr(module, "check_stop", nb::none());
    return !check.is_none() && !nb::steal(PyObject_CallNoArgs(check.ptr())).is_valid();
}

// Other Python threads run while this lives; it takes the GIL back when it dies.
class WithoutGil {
  public:
    WithoutGil() : thread_(PyEval_SaveThread()) {}
    WithoutGil(const WithoutGil&) = delete;
    WithoutGil& operator=(const WithoutGil&) = delete;
    ~WithoutGil() { take_gil(); }

    // Returns true if Python has a signal waiting or a stop token has ended; then a Python error
    // is set.
    bool is_interrupt_pending() {
        take_gil();
        const bool pending = PyErr_CheckSignals() != 0 || is_stopped();
        thread_ = PyEval_SaveThread();
        return pending;
    }

  private:
    // Up to Python 3.13, pthread_exit ends a daemon thread that asks for the GIL while Python
    // ends. It unwinds the stack like an exception. The frames above us let none pass and would
    // abort the process, so we catch it and wait here for the end, as later Pythons do.
    void take_gil() noexcept {
        try {
            PyEval_RestoreThread(thread_);
        } catch (...) {
            for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
        }
    }

    PyThreadState* thread_;
};

// Runs a long piece of work without the GIL; Ctrl-C ends it with KeyboardInterrupt, the stop token
// with Stopped.
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
