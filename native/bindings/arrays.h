// NumPy arrays in and out, checked at the border so that the core need not.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "basis/budget.h"
#include "tasks/fdr_task.h"

namespace bugsieve {

namespace nb = nanobind;

using States = nb::ndarray<const Value, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using State = nb::ndarray<const Value, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Operators = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Ids = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
using Array = nb::ndarray<nb::numpy, T>;

// Hands a vector over to NumPy without copying it.
template <class T>
Array<T> to_array(std::vector<T>&& items, std::initializer_list<std::size_t> shape) {
    auto owned = std::make_unique<std::vector<T>>(std::move(items));
    T* data = owned->data();
    nb::capsule owner(owned.get(),
                      [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    owned.release();
    return Array<T>(data, shape.size(), std::data(shape), owner);
}

template <class T>
Array<T> to_array(std::vector<T>&& items) {
    const std::size_t size = items.size();
    return to_array(std::move(items), {size});
}

template <class A>
std::size_t rows_of(const A& array) {
    return array.shape(0);
}

inline void check_values(const FdrTask& task, std::span<const Value> rows, std::size_t count) {
    const std::size_t width = task.num_variables();
    for (std::size_t row = 0; row < count; ++row)
        for (std::size_t v = 0; v < width; ++v)
            if (rows[row * width + v] >= task.domain_size(v))
                throw std::invalid_argument(
                    "state " + std::to_string(row) + " gives variable " + std::to_string(v) +
                    " the value " + std::to_string(rows[row * width + v]) + ", but it has only " +
                    std::to_string(task.domain_size(v)) + " values");
}

inline std::span<const Value> checked_rows(const FdrTask& task, const States& states) {
    if (states.shape(1) != task.num_variables())
        throw std::invalid_argument("states have " + std::to_string(states.shape(1)) +
                                    " columns, but the task has " +
                                    std::to_string(task.num_variables()) + " variables");
    const std::span<const Value> rows(states.data(), states.shape(0) * states.shape(1));
    check_values(task, rows, states.shape(0));
    return rows;
}

inline std::span<const Value> checked_row(const FdrTask& task, const State& state) {
    if (state.shape(0) != task.num_variables())
        throw std::invalid_argument("the state has " + std::to_string(state.shape(0)) +
                                    " values, but the task has " +
                                    std::to_string(task.num_variables()) + " variables");
    const std::span<const Value> row(state.data(), state.shape(0));
    check_values(task, row, 1);
    return row;
}

// Answers whether Python has a signal waiting. Needs no GIL when called; leaves a Python error
// set when it answers yes.
inline bool python_interrupt_pending() {
    nb::gil_scoped_acquire gil;
    return PyErr_CheckSignals() != 0;
}

// Runs a long piece of work without the GIL; Ctrl-C ends it with KeyboardInterrupt.
template <class Work>
auto without_gil(Work work) {
    Interrupts interrupts(python_interrupt_pending);
    try {
        nb::gil_scoped_release release;
        return work(interrupts);
    } catch (const Interrupted&) {
        throw nb::python_error();
    }
}

void bind_tasks(nb::module_& m);
void bind_heuristics(nb::module_& m);
void bind_search(nb::module_& m);

}  // namespace bugsieve
