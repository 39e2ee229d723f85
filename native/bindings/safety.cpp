#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <optional>

#include "bindings/arrays.h"
#include "bindings/one_at_a_time.h"
#include "safety/analysis.h"
#include "safety/explicit_system.h"
#include "safety/exploration.h"

namespace bugsieve {

namespace {

using namespace nb::literals;

template <class T>
using Column = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
std::vector<T> copied(const Column<T>& column) {
    return {column.data(), column.data() + column.shape(0)};
}

std::vector<std::uint64_t> copied_words(const PackedStates& rows, const TransitionSystem& system) {
    if (rows.shape(1) != system.words())
        throw std::invalid_argument("states have " + std::to_string(rows.shape(1)) +
                                    " words, but those of the system have " +
                                    std::to_string(system.words()));
    return {rows.data(), rows.data() + rows.size()};
}

ExplicitSystem make_explicit(const Column<std::uint8_t>& kinds,
                             const Column<std::uint32_t>& state_offsets,
                             const Column<std::int32_t>& actions,
                             const Column<std::uint32_t>& outcome_offsets,
                             const Column<std::uint32_t>& outcomes, std::int32_t num_actions,
                             const std::optional<Column<double>>& distances) {
    return {{copied(kinds), copied(state_offsets), copied(actions), copied(outcome_offsets),
             copied(outcomes), distances ? copied(*distances) : std::vector<double>()},
            num_actions};
}

// Asks a Python function, which gets rows of states and returns as many actions.
class PythonPolicy final : public PolicyView {
  public:
    PythonPolicy(nb::callable function, std::size_t words)
        : function_(std::move(function)), words_(words) {}

    void actions(const std::uint64_t* states, std::size_t count, std::int32_t* out) override {
        const nb::gil_scoped_acquire gil;
        const nb::object answer = ask(states, count);
        Operators actions;
        if (!nb::try_cast(answer, actions, false) || rows_of(actions) != count)
            throw std::invalid_argument(
                "a policy must return an array with one action, of type int32, per state");
        for (std::size_t i = 0; i < count; ++i) out[i] = actions(i);
    }

    // A call takes microseconds, or a round trip to another process, for every question.
    std::size_t preferred_batch() const override { return 32; }

    static int traverse(PyObject* self, visitproc visit, void* arg) {
        Py_VISIT(Py_TYPE(self));
        if (nb::inst_ready(self)) Py_VISIT(nb::inst_ptr<PythonPolicy>(self)->function_.ptr());
        return 0;
    }
    static int clear(PyObject* self) {
        if (nb::inst_ready(self)) nb::inst_ptr<PythonPolicy>(self)->function_.reset();
        return 0;
    }

  private:
    nb::object ask(const std::uint64_t* states, std::size_t count) {
        try {
            return function_(to_array(std::vector<std::uint64_t>(states, states + count * words_),
                                      {count, words_}));
        } catch (nb::python_error& error) {
            if (error.matches(PyExc_Exception)) throw;
            error.restore();  // Ctrl-C, or another wish to end
            throw Interrupted();
        }
    }

    nb::callable function_;
    std::size_t words_;
};

PyType_Slot kPythonPolicySlots[] = {
    {Py_tp_traverse, reinterpret_cast<void*>(PythonPolicy::traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(PythonPolicy::clear)},
    {0, nullptr}};

// May be asked from any thread, one question at a time.
class BoundAnalysis {
  public:
    BoundAnalysis(TransitionSystem& system, PolicyView* policy, const std::string& algorithm,
                  std::optional<std::int32_t> radius)
        : system_(system),
          has_policy_(policy != nullptr),
          analysis_(system, policy, checked(algorithm), radius) {
        if (radius && !has_policy_) throw std::invalid_argument("a finite radius needs a policy");
        if (radius && (*radius < 0 || *radius > Values::kLargestRadius))
            throw std::invalid_argument("a radius must be between 0 and 2**30");
    }

    nb::tuple decide(const PackedStates& states, std::int64_t max_expansions, double max_seconds,
                     std::int64_t max_bytes) {
        const std::vector<std::uint64_t> words = copied_words(states, system_);
        const Limits limits{max_expansions, max_seconds, max_bytes};
        std::vector<std::int8_t> verdicts;
        std::vector<std::uint8_t> reached;
        locked([&](Interrupts& interrupts) {
            for (std::size_t i = 0; i < states.shape(0); ++i) {
                interrupts.check();
                const Answer answer =
                    analysis_.decide(words.data() + i * system_.words(), limits, interrupts);
                verdicts.push_back(static_cast<std::int8_t>(answer.verdict));
                reached.push_back(static_cast<std::uint8_t>(answer.limit));
            }
        });
        return nb::make_tuple(to_array(std::move(verdicts)), to_array(std::move(reached)));
    }

    nb::tuple faults(const PackedStates& run, std::int64_t max_expansions, double max_seconds,
                     std::int64_t max_bytes) {
        if (!has_policy_) throw std::invalid_argument("faults need a policy");
        const std::vector<std::uint64_t> words = copied_words(run, system_);
        const Limits limits{max_expansions, max_seconds, max_bytes};
        const std::size_t length = run.shape(0);
        std::vector<std::int8_t> verdicts(length), faults(length);
        std::vector<std::uint64_t> outcomes(length * system_.words());
        locked([&](Interrupts& interrupts) {
            const std::vector<Step> steps = analysis_.faults(words, length, limits, interrupts);
            for (std::size_t i = 0; i < length; ++i) {
                verdicts[i] = static_cast<std::int8_t>(steps[i].answer.verdict);
                faults[i] = static_cast<std::int8_t>(steps[i].fault);
                if (steps[i].fault == FaultVerdict::kFault)
                    std::copy_n(
                        analysis_.space().row(steps[i].outcome), system_.words(),
                        outcomes.begin() + static_cast<std::ptrdiff_t>(i * system_.words()));
            }
        });
        return nb::make_tuple(to_array(std::move(verdicts)), to_array(std::move(faults)),
                              to_array(std::move(outcomes), {length, system_.words()}));
    }

    std::optional<nb::tuple> alternative(const PackedStates& state, std::int64_t max_expansions,
                                         double max_seconds, std::int64_t max_bytes) {
        AlternativePolicy table;
        const bool done = certify(state, {max_expansions, max_seconds, max_bytes},
                                  [&](const std::uint64_t* row, auto& limits, auto& interrupts) {
                                      table = analysis_.alternative(row, limits, interrupts);
                                  });
        if (!done) return std::nullopt;
        return nb::make_tuple(rows(table.states), to_array(std::move(table.actions)),
                              to_array(std::move(table.divergences)));
    }

    std::optional<nb::tuple> ranking(const PackedStates& state, std::int64_t max_expansions,
                                     double max_seconds, std::int64_t max_bytes) {
        LosingRanking table;
        const bool done = certify(state, {max_expansions, max_seconds, max_bytes},
                                  [&](const std::uint64_t* row, auto& limits, auto& interrupts) {
                                      table = analysis_.ranking(row, limits, interrupts);
                                  });
        if (!done) return std::nullopt;
        return nb::make_tuple(rows(table.states), to_array(std::move(table.budgets)),
                              to_array(std::move(table.ranks)));
    }

    std::size_t num_states() {
        return counted([&] { return analysis_.space().size(); });
    }
    std::size_t num_expanded() {
        return counted([&] { return analysis_.space().expanded(); });
    }
    std::int64_t num_turns() {
        return static_cast<std::int64_t>(
            counted([&] { return static_cast<std::size_t>(analysis_.turns()); }));
    }
    std::size_t bytes() {
        return counted([&] { return analysis_.bytes(); });
    }

  private:
    static const std::string& checked(const std::string& algorithm) {
        if (!is_decider(algorithm))
            throw std::invalid_argument("unknown algorithm '" + algorithm + "'");
        return algorithm;
    }

    template <class Work>
    void locked(Work work) {
        alone_("a policy asked the analysis that asks it", work);
    }

    template <class Count>
    std::size_t counted(Count count) {
        std::size_t number = 0;
        locked([&](Interrupts&) { number = count(); });
        return number;
    }

    // False if a limit was reached.
    template <class Work>
    bool certify(const PackedStates& state, const Limits& limits, Work work) {
        if (state.shape(0) != 1) throw std::invalid_argument("one state was expected");
        const std::vector<std::uint64_t> words = copied_words(state, system_);
        try {
            locked([&](Interrupts& interrupts) { work(words.data(), limits, interrupts); });
        } catch (const LimitReached&) {
            return false;
        }
        return true;
    }

    // The rows of known states stay where they are.
    Array<std::uint64_t> rows(const std::vector<StateId>& states) {
        std::vector<std::uint64_t> words;
        words.reserve(states.size() * system_.words());
        locked([&](Interrupts&) {
            for (const StateId state : states) {
                const std::uint64_t* row = analysis_.space().row(state);
                words.insert(words.end(), row, row + system_.words());
            }
        });
        return to_array(std::move(words), {states.size(), system_.words()});
    }

    TransitionSystem& system_;
    bool has_policy_;
    OneAtATime alone_;
    SafetyAnalysis analysis_;
};

// None if a limit was reached.
std::optional<nb::tuple> explore_states(TransitionSystem& system, const PackedStates& starts,
                                        std::int64_t max_expansions, double max_seconds,
                                        std::int64_t max_bytes) {
    const std::vector<std::uint64_t> words = copied_words(starts, system);
    const Limits limits{max_expansions, max_seconds, max_bytes};
    Exploration found;
    try {
        without_gil([&](Interrupts& interrupts) {
            Meter meter(limits, interrupts);
            found = explore(system, words, meter);
            return 0;
        });
    } catch (const LimitReached&) {
        return std::nullopt;
    }
    return nb::make_tuple(found.states, found.choices, found.outcomes, found.bytes);
}

}  // namespace

void bind_safety(nb::module_& m) {
    nb::class_<TransitionSystem>(m, "TransitionSystem")
        .def_prop_ro("words", &TransitionSystem::words)
        .def_prop_ro("num_actions", &TransitionSystem::num_actions);
    nb::class_<ExplicitSystem, TransitionSystem>(m, "ExplicitSystem")
        .def_static("from_arrays", &make_explicit, "kinds"_a.noconvert(),
                    "state_offsets"_a.noconvert(), "actions"_a.noconvert(),
                    "outcome_offsets"_a.noconvert(), "outcomes"_a.noconvert(), "num_actions"_a,
                    "distances"_a.noconvert().none() = nb::none())
        .def_prop_ro("num_states", &ExplicitSystem::num_states);
    nb::class_<PolicyView>(m, "PolicyView");
    nb::class_<TablePolicy, PolicyView>(m, "TablePolicy")
        .def(
            "__init__",
            [](TablePolicy* self, const Column<std::int32_t>& actions) {
                new (self) TablePolicy(copied(actions));
            },
            "actions"_a.noconvert());
    nb::class_<PythonPolicy, PolicyView>(m, "PythonPolicy", nb::type_slots(kPythonPolicySlots))
        .def(nb::init<nb::callable, std::size_t>(), "function"_a, "words"_a);
    nb::class_<BoundAnalysis>(m, "SafetyAnalysis")
        .def(nb::init<TransitionSystem&, PolicyView*, const std::string&,
                      std::optional<std::int32_t>>(),
             "system"_a, "policy"_a.none(), "algorithm"_a, "radius"_a.none(),
             nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>())
        .def("decide", &BoundAnalysis::decide, "states"_a.noconvert(), nb::kw_only(),
             "max_expansions"_a = -1, "max_seconds"_a = -1.0, "max_bytes"_a = -1)
        .def("faults", &BoundAnalysis::faults, "run"_a.noconvert(), nb::kw_only(),
             "max_expansions"_a = -1, "max_seconds"_a = -1.0, "max_bytes"_a = -1)
        .def("alternative", &BoundAnalysis::alternative, "state"_a.noconvert(), nb::kw_only(),
             "max_expansions"_a = -1, "max_seconds"_a = -1.0, "max_bytes"_a = -1)
        .def("ranking", &BoundAnalysis::ranking, "state"_a.noconvert(), nb::kw_only(),
             "max_expansions"_a = -1, "max_seconds"_a = -1.0, "max_bytes"_a = -1)
        .def_prop_ro("num_states", &BoundAnalysis::num_states)
        .def_prop_ro("num_expanded", &BoundAnalysis::num_expanded)
        .def_prop_ro("num_turns", &BoundAnalysis::num_turns)
        .def_prop_ro("memory_bytes", &BoundAnalysis::bytes);
    m.def("explore_states", &explore_states, "system"_a, "starts"_a.noconvert(), nb::kw_only(),
          "max_expansions"_a = -1, "max_seconds"_a = -1.0, "max_bytes"_a = -1);
    nb::list names;
    for (const auto name : kDeciderNames) names.append(nb::str(name.data(), name.size()));
    m.attr("SAFETY_ALGORITHMS") = nb::tuple(names);
}

}  // namespace bugsieve
