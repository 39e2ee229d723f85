#include <nanobind/stl/vector.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "bindings/arrays.h"
#include "jani/jani_system.h"

namespace bugsieve {

namespace {

using jani::CompiledModel;
using jani::Description;
using jani::Ending;
using jani::Fault;
using jani::JaniSystem;

template <class T>
using Table = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Rows = nb::ndarray<const double, nb::ndim<2>, nb::device::cpu>;

constexpr std::size_t kRowsBetweenLooks = 256;  // at the clock

template <class T>
std::span<const T> row(const Table<T>& table, std::size_t index, std::size_t columns) {
    if (table.shape(1) != columns) throw std::invalid_argument("table of a wrong width");
    return {table.data() + index * columns, columns};
}

std::uint32_t unsigned_of(std::int32_t value) { return static_cast<std::uint32_t>(value); }

Description describe(const Table<std::int32_t>& nodes, const std::vector<std::uint64_t>& constants,
                     const Table<std::uint64_t>& variables, const Table<std::int32_t>& assignments,
                     const Table<std::int32_t>& destinations, const Table<std::int32_t>& edges) {
    Description model;
    model.constants = constants;
    for (std::size_t i = 0; i < nodes.shape(0); ++i) {
        const auto r = row(nodes, i, 4);
        model.nodes.push_back({static_cast<jani::Op>(r[0]), {r[1], r[2], r[3]}});
    }
    for (std::size_t i = 0; i < variables.shape(0); ++i) {
        const auto r = row(variables, i, 5);
        model.variables.push_back({r[0] != 0, r[1] != 0, r[2], r[3], r[4]});
    }
    for (std::size_t i = 0; i < assignments.shape(0); ++i) {
        const auto r = row(assignments, i, 3);
        model.assignments.push_back({r[0], r[1], r[2]});
    }
    for (std::size_t i = 0; i < destinations.shape(0); ++i) {
        const auto r = row(destinations, i, 4);
        model.destinations.push_back({r[0], r[1], unsigned_of(r[2]), unsigned_of(r[3])});
    }
    for (std::size_t i = 0; i < edges.shape(0); ++i) {
        const auto r = row(edges, i, 4);
        model.edges.push_back({r[0], r[1], unsigned_of(r[2]), unsigned_of(r[3])});
    }
    return model;
}

std::string value_error(std::size_t row, std::size_t variable, double value) {
    return "state " + std::to_string(row) + " gives variable " + std::to_string(variable) +
           " the value " + std::to_string(value) + ", which it cannot have";
}

bool to_word(const jani::Variable& variable, double value, jani::Word& word) {
    if (variable.is_real) {
        word.real = value + 0.0;
        return std::bit_cast<double>(variable.lower) <= value &&
               value <= std::bit_cast<double>(variable.upper);
    }
    // Bounds lie within the integers that are exact as doubles.
    if (!(std::fabs(value) <= 0x1p53) || value != std::trunc(value)) return false;
    word.integer = static_cast<std::int64_t>(value);
    return static_cast<std::int64_t>(variable.lower) <= word.integer &&
           word.integer <= static_cast<std::int64_t>(variable.upper);
}

double to_double(const jani::Variable& variable, jani::Word word) {
    return variable.is_real ? word.real : static_cast<double>(word.integer);
}

// Transient variables come after those of the state, so a row is a prefix of the variables.
std::vector<std::uint64_t> packed(const CompiledModel& model, const Rows& states) {
    const std::size_t width = model.num_state_variables();
    if (states.shape(1) != width)
        throw std::invalid_argument("states have " + std::to_string(states.shape(1)) +
                                    " columns, but the model has " + std::to_string(width) +
                                    " variables");
    std::vector<std::uint64_t> words(states.shape(0) * model.packing.words());
    std::vector<jani::Word> values(model.variables.size());
    for (std::size_t r = 0; r < states.shape(0); ++r) {
        for (std::size_t v = 0; v < width; ++v)
            if (!to_word(model.variables[v], states(r, v), values[v]))
                throw std::invalid_argument(value_error(r, v, states(r, v)));
        model.packing.pack(values.data(), words.data() + r * model.packing.words());
    }
    return words;
}

Array<double> unpacked(const CompiledModel& model, std::span<const std::uint64_t> words) {
    const std::size_t width = model.num_state_variables();
    const std::size_t count = words.size() / model.packing.words();
    std::vector<double> states(count * width);
    std::vector<jani::Word> values(model.variables.size());
    for (std::size_t r = 0; r < count; ++r) {
        model.packing.unpack(words.data() + r * model.packing.words(), values.data());
        for (std::size_t v = 0; v < width; ++v)
            states[r * width + v] = to_double(model.variables[v], values[v]);
    }
    return to_array(std::move(states), {count, width});
}

// Calls `work(system, state, row)` for all states, without the GIL and with registers of its own,
// so that threads may share a model.
template <class Work>
void for_each_state(const JaniSystem& shared, std::span<const std::uint64_t> words, Work work) {
    JaniSystem system(shared.shared_model());
    const std::size_t width = system.words();
    without_gil([&](Interrupts& interrupts) {
        for (std::size_t r = 0; r < words.size() / width; ++r) {
            if (r % kRowsBetweenLooks == 0) interrupts.check();
            work(system, words.data() + r * width, r);
        }
        return 0;
    });
}

template <class Question>
Array<bool> ask(const JaniSystem& system, const Rows& states, Question question) {
    const std::vector<std::uint64_t> words = packed(system.model(), states);
    auto answers = std::make_unique<bool[]>(states.shape(0));
    for_each_state(system, words, [&](JaniSystem& own, const std::uint64_t* state, std::size_t r) {
        answers[r] = question(own, state);
    });
    bool* data = answers.get();
    nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<bool*>(p); });
    answers.release();
    const std::size_t shape[1] = {states.shape(0)};
    return Array<bool>(data, 1, shape, owner);
}

Array<double> distances(const JaniSystem& system, const Rows& states) {
    const std::vector<std::uint64_t> words = packed(system.model(), states);
    std::vector<double> found(states.shape(0));
    for_each_state(system, words, [&](JaniSystem& own, const std::uint64_t* state, std::size_t r) {
        found[r] = own.distance(state);
    });
    return to_array(std::move(found));
}

nb::tuple applicable_actions(const JaniSystem& system, const Rows& states) {
    const std::vector<std::uint64_t> words = packed(system.model(), states);
    std::vector<std::int32_t> all, actions;
    std::vector<std::int64_t> offsets{0};
    for_each_state(system, words, [&](JaniSystem& own, const std::uint64_t* state, std::size_t) {
        own.applicable(state, actions);
        all.insert(all.end(), actions.begin(), actions.end());
        offsets.push_back(static_cast<std::int64_t>(all.size()));
    });
    return nb::make_tuple(to_array(std::move(all)), to_array(std::move(offsets)));
}

nb::tuple expand(const JaniSystem& system, const Rows& states) {
    const std::vector<std::uint64_t> words = packed(system.model(), states);
    const std::size_t width = system.words();
    std::vector<std::int32_t> actions;
    std::vector<std::int64_t> action_offsets{0}, outcome_offsets{0};
    std::vector<std::uint64_t> outcomes;
    TransitionSystem::Expansion e;
    for_each_state(system, words, [&](JaniSystem& own, const std::uint64_t* state, std::size_t) {
        own.expand(state, e);
        const auto before = static_cast<std::int64_t>(outcomes.size() / width);
        actions.insert(actions.end(), e.actions.begin(), e.actions.end());
        action_offsets.push_back(static_cast<std::int64_t>(actions.size()));
        for (std::size_t a = 1; a < e.offsets.size(); ++a)
            outcome_offsets.push_back(before + e.offsets[a]);
        outcomes.insert(outcomes.end(), e.outcomes.begin(), e.outcomes.end());
    });
    return nb::make_tuple(to_array(std::move(actions)), to_array(std::move(action_offsets)),
                          unpacked(system.model(), outcomes),
                          to_array(std::move(outcome_offsets)));
}

// The facts that a run needs of its states: their kinds, and for each action a flag if it is
// applicable. Where the run ends, no action is.
nb::tuple observe(const JaniSystem& system, const Rows& states) {
    const std::vector<std::uint64_t> words = packed(system.model(), states);
    const std::size_t width = static_cast<std::size_t>(system.num_actions());
    std::vector<std::uint8_t> kinds(states.shape(0)), flags(states.shape(0) * width);
    std::vector<std::int32_t> actions;
    for_each_state(system, words, [&](JaniSystem& own, const std::uint64_t* state, std::size_t r) {
        const TransitionSystem::Kind kind = own.classify(state);
        kinds[r] = static_cast<std::uint8_t>(kind);
        if (kind != TransitionSystem::Kind::kOrdinary) return;
        own.applicable(state, actions);
        for (const std::int32_t action : actions)
            flags[r * width + static_cast<std::size_t>(action)] = 1;
    });
    return nb::make_tuple(to_array(std::move(kinds)),
                          to_array(std::move(flags), {states.shape(0), width}));
}

// One outcome of one action per state; a draw from [0, 1) says which.
Array<double> step(const JaniSystem& system, const Rows& states, const Operators& actions,
                   const nb::ndarray<const double, nb::ndim<1>, nb::device::cpu>& draws) {
    const std::size_t count = states.shape(0), width = system.words();
    if (actions.shape(0) != count || draws.shape(0) != count)
        throw std::invalid_argument("there must be one action and one draw for each state");
    const std::vector<std::uint64_t> words = packed(system.model(), states);
    std::vector<std::int32_t> chosen(count);
    std::vector<double> drawn(count);
    for (std::size_t r = 0; r < count; ++r) {
        chosen[r] = actions(r);
        drawn[r] = draws(r);
        if (!(drawn[r] >= 0 && drawn[r] < 1)) throw std::invalid_argument("draws are from [0, 1)");
    }
    std::vector<std::uint64_t> outcome, successors(words.size());
    for_each_state(system, words, [&](JaniSystem& own, const std::uint64_t* state, std::size_t r) {
        if (!own.draw_outcome(state, chosen[r], drawn[r], outcome))
            throw std::invalid_argument("action " + std::to_string(chosen[r]) +
                                        " is not applicable in state " + std::to_string(r));
        std::copy_n(outcome.data(), width, successors.data() + r * width);
    });
    return unpacked(system.model(), successors);
}

std::int64_t count_outcomes(const JaniSystem& system, const Rows& states, std::int64_t rounds) {
    const std::vector<std::uint64_t> words = packed(system.model(), states);
    TransitionSystem::Expansion e;
    std::int64_t count = 0;
    for (std::int64_t round = 0; round < rounds; ++round)
        for_each_state(system, words,
                       [&](JaniSystem& own, const std::uint64_t* state, std::size_t) {
                           own.expand(state, e);
                           count += e.offsets.back();
                       });
    return count;
}

const char* kind_name(Ending kind) {
    switch (kind) {
        case Ending::kDivisionByZero:
            return "division-by-zero";
        case Ending::kOverflow:
            return "overflow";
        case Ending::kNegativeExponent:
            return "negative-exponent";
        case Ending::kOutOfBounds:
            return "out-of-bounds";
        case Ending::kBadProbability:
            return "bad-probability";
        case Ending::kNoOutcome:
            return "no-outcome";
        case Ending::kConflict:
            return "conflict";
        default:
            return "undefined";
    }
}

void bind_fault(nb::module_& m) {
    static nb::handle type = nb::exception<Fault>(m, "JaniFaultError", PyExc_ValueError);
    nb::register_exception_translator([](const std::exception_ptr& raised, void*) {
        try {
            std::rethrow_exception(raised);
        } catch (const Fault& f) {
            const auto details = nb::make_tuple(kind_name(f.kind), f.edge, f.variable, f.value,
                                                nb::tuple(nb::cast(f.state)));
            PyErr_SetObject(type.ptr(), details.ptr());
        }
    });
}

}  // namespace

void bind_jani(nb::module_& m) {
    bind_fault(m);
    nb::dict operators;
    std::int32_t number = 0;
    for (const std::string_view name : jani::operator_names())
        operators[nb::str(name.data(), name.size())] = number++;
    m.attr("JANI_OPERATORS") = operators;

    using Answers = Array<bool> (*)(const JaniSystem&, const Rows&);
    const Answers is_goal = [](const JaniSystem& s, const Rows& states) {
        return ask(s, states, [](JaniSystem& own, auto state) { return own.is_goal(state); });
    };
    const Answers is_unsafe = [](const JaniSystem& s, const Rows& states) {
        return ask(s, states, [](JaniSystem& own, auto state) { return own.is_unsafe(state); });
    };
    const Answers is_start = [](const JaniSystem& s, const Rows& states) {
        return ask(s, states, [](JaniSystem& own, auto state) { return own.is_start(state); });
    };
    nb::class_<JaniSystem, TransitionSystem>(m, "JaniSystem")
        .def(
            "__init__",
            [](JaniSystem* self, const Table<std::int32_t>& nodes,
               const std::vector<std::uint64_t>& constants, const Table<std::uint64_t>& variables,
               const Table<std::int32_t>& assignments, const Table<std::int32_t>& destinations,
               const Table<std::int32_t>& edges, std::int32_t num_actions, std::int32_t goal,
               std::int32_t unsafe, std::int32_t start, std::int32_t distance) {
                Description model =
                    describe(nodes, constants, variables, assignments, destinations, edges);
                model.num_actions = num_actions;
                model.goal = goal;
                model.unsafe = unsafe;
                model.start = start;
                model.distance = distance;
                new (self) JaniSystem(std::make_shared<const CompiledModel>(model));
            },
            nb::kw_only(), nb::arg("nodes"), nb::arg("constants"), nb::arg("variables"),
            nb::arg("assignments"), nb::arg("destinations"), nb::arg("edges"),
            nb::arg("num_actions"), nb::arg("goal"), nb::arg("unsafe"), nb::arg("start"),
            nb::arg("distance") = -1)
        .def("copy", [](const JaniSystem& s) { return JaniSystem(s.shared_model()); })
        .def("pack",
             [](const JaniSystem& s, const Rows& states) {
                 return to_array(packed(s.model(), states), {states.shape(0), s.words()});
             })
        .def("unpack",
             [](const JaniSystem& s, const PackedStates& words) {
                 if (words.shape(1) != s.words())
                     throw std::invalid_argument("rows of a wrong number of words");
                 return unpacked(s.model(), {words.data(), words.size()});
             })
        .def("is_goal", is_goal, nb::arg("states"))
        .def("is_unsafe", is_unsafe, nb::arg("states"))
        .def("is_start", is_start, nb::arg("states"))
        .def("distances", distances, nb::arg("states"))
        .def("applicable", applicable_actions, nb::arg("states"))
        .def("expand", expand, nb::arg("states"))
        .def("observe", observe, nb::arg("states"))
        .def("step", step, nb::arg("states"), nb::arg("actions"), nb::arg("draws"))
        .def("count_outcomes", count_outcomes, nb::arg("states"), nb::arg("rounds"));
}

}  // namespace bugsieve
