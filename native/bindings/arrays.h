// NumPy arrays in and out, checked at the border so that the core need not.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "bindings/gil.h"
#include "heuristics/evaluator.h"
#include "tasks/fdr_task.h"

namespace bugsieve {

namespace nb = nanobind;

using States = nb::ndarray<const Value, nb::ndim<2>, nb::device::cpu>;
using State = nb::ndarray<const Value, nb::ndim<1>, nb::device::cpu>;
using Operators = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::device::cpu>;
using Ids = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::device::cpu>;
// States of a transition system, some words each.
using PackedStates = nb::ndarray<const std::uint64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

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

inline void check_values(const FdrTask& task, StateView state, std::size_t row) {
    bool fits = true;
    for (std::size_t v = 0; v < state.size(); ++v) fits &= state[v] < task.domain_sizes[v];
    for (std::size_t v = 0; !fits && v < state.size(); ++v)
        if (state[v] >= task.domain_sizes[v])
            throw std::invalid_argument("state " + std::to_string(row) + " gives variable " +
                                        std::to_string(v) + " the value " +
                                        std::to_string(state[v]) + ", but it has only " +
                                        std::to_string(task.domain_sizes[v]) + " values");
}

// The states in rows of our own: other threads may write to the array while we work without the
// GIL. Refuses values that the task does not have.
inline std::vector<Value> copied_rows(const FdrTask& task, const States& states) {
    const std::size_t width = task.num_variables();
    if (states.shape(1) != width)
        throw std::invalid_argument("states have " + std::to_string(states.shape(1)) +
                                    " columns, but the task has " + std::to_string(width) +
                                    " variables");
    std::vector<Value> rows;
    rows.reserve(states.shape(0) * width);
    for (std::size_t row = 0; row < states.shape(0); ++row) {
        if (states.stride(1) == 1)
            rows.insert(rows.end(), &states(row, 0), &states(row, 0) + width);
        else
            for (std::size_t v = 0; v < width; ++v) rows.push_back(states(row, v));
        check_values(task, std::span(rows).last(width), row);
    }
    return rows;
}

inline std::vector<Value> copied_row(const FdrTask& task, const State& state) {
    if (state.shape(0) != task.num_variables())
        throw std::invalid_argument("the state has " + std::to_string(state.shape(0)) +
                                    " values, but the task has " +
                                    std::to_string(task.num_variables()) + " variables");
    const std::size_t shape[2] = {1, state.shape(0)};
    const std::int64_t strides[2] = {0, state.stride(0)};
    return copied_rows(task, States(state.data(), 2, shape, nb::handle(), strides));
}

inline void check_heuristic(std::string_view name) {
    if (!is_heuristic(name))
        throw std::invalid_argument("unknown heuristic '" + std::string(name) + "'");
}

void bind_tasks(nb::module_& m);
void bind_heuristics(nb::module_& m);
void bind_search(nb::module_& m);
void bind_novelty(nb::module_& m);
void bind_distances(nb::module_& m);
void bind_dominance(nb::module_& m);
void bind_improvement(nb::module_& m);
void bind_policies(nb::module_& m);
void bind_fuzzing(nb::module_& m);
void bind_safety(nb::module_& m);
void bind_jani(nb::module_& m);
void bind_networks(nb::module_& m);
void bind_relational_networks(nb::module_& m);
void bind_asnets(nb::module_& m);
void bind_unsafe_runs(nb::module_& m);

}  // namespace bugsieve
