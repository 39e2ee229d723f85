#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bindings/arrays.h"
#include "search/search_task.h"
#include "tasks/sas_reader.h"

namespace bugsieve {

namespace {

using FactPair = std::pair<std::int32_t, std::int32_t>;

std::vector<FactPair> pairs(std::span<const Fact> facts) {
    std::vector<FactPair> result;
    for (const Fact& fact : facts) result.emplace_back(fact.variable, fact.value);
    return result;
}

std::size_t checked_operator(const FdrTask& task, std::int64_t op) {
    if (op < 0 || static_cast<std::size_t>(op) >= task.num_operators())
        throw std::out_of_range("there is no operator " + std::to_string(op) + "; the task has " +
                                std::to_string(task.num_operators()));
    return static_cast<std::size_t>(op);
}

const std::vector<std::string>& checked_variable(const FdrTask& task, std::size_t variable) {
    if (variable >= task.num_variables())
        throw std::out_of_range("there is no variable " + std::to_string(variable) +
                                "; the task has " + std::to_string(task.num_variables()));
    return task.fact_names[variable];
}

void check_same_length(const States& states, const Operators& operators) {
    if (rows_of(states) != rows_of(operators))
        throw std::invalid_argument(std::to_string(rows_of(states)) + " states, but " +
                                    std::to_string(rows_of(operators)) + " operators");
}

StateView row_of(std::span<const Value> rows, std::size_t width, std::size_t row) {
    return rows.subspan(row * width, width);
}

void append_successor(const FdrTask& task, StateView state, std::size_t op,
                      std::vector<Value>& out) {
    const std::size_t at = out.size();
    out.insert(out.end(), state.begin(), state.end());
    task.for_each_assignment(state, op, [&](std::int32_t variable, std::int32_t value) {
        out[at + static_cast<std::size_t>(variable)] = static_cast<Value>(value);
    });
}

auto applicable(const Task& task, const States& states) {
    const FdrTask& fdr = task.full().fdr();
    const std::vector<Value> rows = copied_rows(fdr, states);
    std::vector<std::int32_t> operators;
    std::vector<std::int64_t> offsets{0};
    without_gil([&](Interrupts& interrupts) {
        const SuccessorGenerator& generator = task.full().generator();
        for (std::size_t row = 0; row < rows_of(states); ++row) {
            if (row % 256 == 0) interrupts.check();
            generator.append_applicable(row_of(rows, fdr.num_variables(), row), operators);
            offsets.push_back(static_cast<std::int64_t>(operators.size()));
        }
        return 0;
    });
    return std::make_pair(to_array(std::move(operators)), to_array(std::move(offsets)));
}

auto is_applicable(const Task& task, const States& states, const Operators& operators) {
    const FdrTask& fdr = task.full().fdr();
    check_same_length(states, operators);
    const std::vector<Value> rows = copied_rows(fdr, states);
    std::vector<std::uint8_t> answers;
    for (std::size_t row = 0; row < rows_of(states); ++row) {
        const std::int32_t op = operators(row);
        answers.push_back(op >= 0 && static_cast<std::size_t>(op) < fdr.num_operators() &&
                          fdr.is_applicable(row_of(rows, fdr.num_variables(), row),
                                            static_cast<std::size_t>(op)));
    }
    return to_array(std::move(answers));
}

auto successors(const Task& task, const States& states, const Operators& operators) {
    const FdrTask& fdr = task.full().fdr();
    check_same_length(states, operators);
    const std::vector<Value> rows = copied_rows(fdr, states);
    std::vector<Value> result;
    result.reserve(rows.size());
    for (std::size_t row = 0; row < rows_of(states); ++row) {
        const std::size_t op = checked_operator(fdr, operators(row));
        const StateView state = row_of(rows, fdr.num_variables(), row);
        if (!fdr.is_applicable(state, op))
            throw std::invalid_argument("operator " + std::to_string(op) +
                                        " is not applicable in state " + std::to_string(row));
        append_successor(fdr, state, op, result);
    }
    return to_array(std::move(result), {rows_of(states), fdr.num_variables()});
}

auto all_successors(const Task& task, const States& states) {
    const FdrTask& fdr = task.full().fdr();
    const std::vector<Value> rows = copied_rows(fdr, states);
    std::vector<std::int32_t> operators;
    std::vector<std::int64_t> offsets{0};
    std::vector<Value> result;
    without_gil([&](Interrupts& interrupts) {
        const SuccessorGenerator& generator = task.full().generator();
        for (std::size_t row = 0; row < rows_of(states); ++row) {
            if (row % 64 == 0) interrupts.check();
            const StateView state = row_of(rows, fdr.num_variables(), row);
            const std::size_t first = operators.size();
            generator.append_applicable(state, operators);
            for (std::size_t i = first; i < operators.size(); ++i)
                append_successor(fdr, state, static_cast<std::size_t>(operators[i]), result);
            offsets.push_back(static_cast<std::int64_t>(operators.size()));
        }
        return 0;
    });
    const std::size_t count = operators.size();
    return std::make_tuple(to_array(std::move(result), {count, fdr.num_variables()}),
                           to_array(std::move(operators)), to_array(std::move(offsets)));
}

// Applies question(state) to every row.
template <class T, class Question>
std::vector<T> ask_each(const Task& task, const States& states, Question question) {
    const FdrTask& fdr = task.full().fdr();
    const std::vector<Value> rows = copied_rows(fdr, states);
    std::vector<T> answers;
    answers.reserve(rows_of(states));
    for (std::size_t row = 0; row < rows_of(states); ++row)
        answers.push_back(question(fdr, row_of(rows, fdr.num_variables(), row)));
    return answers;
}

// A registry bound to the task whose states it packs.
class BoundRegistry {
  public:
    explicit BoundRegistry(const Task& task) : task_(task), registry_(task.full().packing()) {}

    Array<std::int64_t> insert(const States& states) {
        return each(states, [&](const Word* packed) -> std::int64_t {
            return registry_.insert(packed).id;
        });
    }
    Array<std::int64_t> find(const States& states) {
        return each(states, [&](const Word* packed) -> std::int64_t {
            const StateId id = registry_.find(packed);
            return id == kNoState ? -1 : static_cast<std::int64_t>(id);
        });
    }
    Array<Value> states(const Ids& ids) const {
        const std::size_t width = task_.full().fdr().num_variables();
        std::vector<Value> rows(rows_of(ids) * width);
        std::vector<Word> packed(task_.full().packing().words());
        for (std::size_t i = 0; i < rows_of(ids); ++i) {
            if (ids(i) < 0 || static_cast<std::size_t>(ids(i)) >= registry_.size())
                throw std::out_of_range("there is no state " + std::to_string(ids(i)));
            registry_.read(static_cast<StateId>(ids(i)), packed.data());
            task_.full().packing().unpack(packed.data(),
                                          std::span(rows).subspan(i * width, width));
        }
        return to_array(std::move(rows), {rows_of(ids), width});
    }
    std::size_t size() const { return registry_.size(); }
    std::size_t packed_bytes() const { return task_.full().packing().words() * sizeof(Word); }
    std::size_t memory_bytes() const { return registry_.bytes(); }

  private:
    template <class Action>
    Array<std::int64_t> each(const States& states, Action action) {
        const FdrTask& fdr = task_.full().fdr();
        const std::vector<Value> rows = copied_rows(fdr, states);
        std::vector<Word> packed(task_.full().packing().words());
        std::vector<std::int64_t> ids;
        for (std::size_t row = 0; row < rows_of(states); ++row) {
            task_.full().packing().pack(row_of(rows, fdr.num_variables(), row), packed.data());
            ids.push_back(action(packed.data()));
        }
        return to_array(std::move(ids));
    }

    const Task& task_;
    StateRegistry registry_;
};

void bind_errors(nb::module_& m) {
    static nb::handle sas_error = nb::exception<SasError>(m, "SasError", PyExc_ValueError);
    static nb::handle unsupported =
        nb::exception<UnsupportedSasError>(m, "UnsupportedSasError", PyExc_ValueError);
    nb::register_exception_translator([](const std::exception_ptr& raised, void*) {
        try {
            std::rethrow_exception(raised);
        } catch (const SasError& error) {
            PyErr_SetObject(sas_error.ptr(), nb::make_tuple(error.line, error.what()).ptr());
        } catch (const UnsupportedSasError& error) {
            PyErr_SetObject(unsupported.ptr(), nb::make_tuple(error.feature, error.user).ptr());
        }
    });
}

void bind_parts(nb::class_<Task>& c) {
    const auto fdr = [](const Task& t) -> const FdrTask& { return t.full().fdr(); };
    c.def_prop_ro("num_variables", [=](const Task& t) { return fdr(t).num_variables(); })
        .def_prop_ro("num_operators", [=](const Task& t) { return fdr(t).num_operators(); })
        .def_prop_ro("uses_costs", [=](const Task& t) { return fdr(t).uses_costs; })
        .def_prop_ro("has_conditional_effects",
                     [=](const Task& t) { return fdr(t).has_conditional_effects; })
        .def_prop_ro("domain_sizes", [=](const Task& t) { return fdr(t).domain_sizes; })
        .def_prop_ro("variable_names", [=](const Task& t) { return fdr(t).variable_names; })
        .def_prop_ro(
            "initial_state",
            [=](const Task& t) { return to_array(std::vector(fdr(t).initial_state)); },
            nb::rv_policy::move)
        .def_prop_ro("goal", [=](const Task& t) { return pairs(fdr(t).goal); })
        .def_prop_ro("mutex_groups",
                     [=](const Task& t) {
                         std::vector<std::vector<FactPair>> groups;
                         for (const auto& group : fdr(t).mutex_groups)
                             groups.push_back(pairs(group));
                         return groups;
                     })
        .def_prop_ro("operator_names", [=](const Task& t) { return fdr(t).operator_names; })
        .def_prop_ro(
            "operator_costs", [=](const Task& t) { return to_array(std::vector(fdr(t).costs)); },
            nb::rv_policy::move)
        .def(
            "fact_names",
            [=](const Task& t, std::size_t variable) {
                return checked_variable(fdr(t), variable);
            },
            nb::arg("variable"))
        .def(
            "preconditions",
            [=](const Task& t, std::int64_t op) {
                return pairs(fdr(t).preconditions[checked_operator(fdr(t), op)]);
            },
            nb::arg("operator"))
        .def(
            "effects",
            [=](const Task& t, std::int64_t op) {
                std::vector<std::tuple<std::vector<FactPair>, std::int32_t, std::int32_t>> all;
                for (const Effect& effect : fdr(t).effects[checked_operator(fdr(t), op)])
                    all.emplace_back(
                        pairs(fdr(t).conditions[static_cast<std::size_t>(effect.conditions)]),
                        effect.fact.variable, effect.fact.value);
                return all;
            },
            nb::arg("operator"));
}

void bind_batches(nb::class_<Task>& c) {
    c.def("applicable", &applicable, nb::arg("states").noconvert())
        .def(
            "is_applicable",
            [](const Task& t, const States& s, const Operators& o) {
                return nb::cast(is_applicable(t, s, o)).attr("view")("bool");
            },
            nb::arg("states").noconvert(), nb::arg("operators").noconvert())
        .def("successors", &successors, nb::arg("states").noconvert(),
             nb::arg("operators").noconvert())
        .def("all_successors", &all_successors, nb::arg("states").noconvert())
        .def(
            "is_goal",
            [](const Task& t, const States& s) {
                return nb::cast(to_array(ask_each<std::uint8_t>(
                                    t, s,
                                    [](const FdrTask& fdr, StateView state) {
                                        return fdr.is_goal(state);
                                    })))
                    .attr("view")("bool");
            },
            nb::arg("states").noconvert())
        .def(
            "hashes",
            [](const Task& t, const States& s) {
                return to_array(ask_each<std::uint64_t>(
                    t, s, [](const FdrTask&, StateView state) { return content_hash(state); }));
            },
            nb::arg("states").noconvert());
}

}  // namespace

void bind_tasks(nb::module_& m) {
    bind_errors(m);
    nb::class_<Task> task(m, "Task");
    task.def_static(
        "from_sas",
        [](nb::bytes text, std::size_t max_mask_lines) {
            const std::string_view view(text.c_str(), text.size());
            return without_gil([&](Interrupts& interrupts) {
                return new Task(read_sas(view, interrupts), max_mask_lines);
            });
        },
        nb::arg("text"), nb::kw_only(), nb::arg("max_mask_lines") = SuccessorGenerator::kMaskLines,
        nb::rv_policy::take_ownership);
    bind_parts(task);
    bind_batches(task);
    task.def(
            "to_sas",
            [](const Task& t, const State& state) {
                const std::string text =
                    write_sas(t.full().fdr(), copied_row(t.full().fdr(), state));
                return nb::bytes(text.data(), text.size());
            },
            nb::arg("state").noconvert())
        .def_prop_ro("generator_bytes",
                     [](const Task& t) { return t.full().generator().bytes(); });

    nb::class_<BoundRegistry>(m, "StateRegistry")
        .def(nb::init<const Task&>(), nb::arg("task"), nb::keep_alive<1, 2>())
        .def("__len__", &BoundRegistry::size)
        .def("insert", &BoundRegistry::insert, nb::arg("states").noconvert())
        .def("find", &BoundRegistry::find, nb::arg("states").noconvert())
        .def("states", &BoundRegistry::states, nb::arg("ids").noconvert())
        .def_prop_ro("packed_bytes", &BoundRegistry::packed_bytes)
        .def_prop_ro("memory_bytes", &BoundRegistry::memory_bytes);
}

}  // namespace bugsieve
