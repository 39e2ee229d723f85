#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <limits>
#include <optional>

#include "bindings/arrays.h"
#include "bindings/bound_dominance.h"
#include "bindings/one_at_a_time.h"
#include "dominance/bounds.h"
#include "dominance/replay.h"

namespace bugsieve {

namespace {

using namespace nb::literals;

Tau tau_named(std::string_view name) {
    if (name == "none") return Tau::kNone;
    if (name == "local") return Tau::kLocal;
    if (name == "stages") return Tau::kStages;
    throw std::invalid_argument("tau is none, local or stages, not '" + std::string(name) + "'");
}

const FdrTask& searched(const Task& task) {
    const Task::Reduced& reduced = task.reduced();
    return reduced.task ? reduced.task->fdr() : task.full().fdr();
}

std::string too_many_outcomes(const Task& task, const TooManyOutcomes& error) {
    const Task::Reduced& reduced = task.reduced();
    const auto op =
        reduced.task ? static_cast<std::size_t>(reduced.projection.operators[error.op]) : error.op;
    return "the conditional effects of " + task.full().fdr().operator_names[op] +
           " depend on too many facts at once";
}

// Empty if there is none that can be seen at once.
std::string objection(const Task& task) {
    try {
        DominanceFunction::check(searched(task));
        return "";
    } catch (const TooManyOutcomes& error) {
        return too_many_outcomes(task, error);
    } catch (const NoDominanceError& error) {
        return error.what();
    }
}

BoundDominance* compute(const Task& task, std::int64_t max_transitions, std::int64_t max_states,
                        std::string_view tau, std::int64_t floor, std::int64_t max_work,
                        std::int64_t max_bytes) {
    const DominanceOptions options{
        {max_transitions, max_states}, tau_named(tau), floor, max_work, max_bytes};
    try {
        return without_gil([&](Interrupts& interrupts) {
            return new BoundDominance(task,
                                      DominanceFunction(searched(task), options, interrupts));
        });
    } catch (const TooManyOutcomes& error) {
        throw NoDominanceError(too_many_outcomes(task, error));
    }
}

BoundDominance* load(const Task& task, const Operators& saved) {
    const std::vector<std::int32_t> words(saved.data(), saved.data() + rows_of(saved));
    return without_gil([&](Interrupts& interrupts) {
        return new BoundDominance(task, DominanceFunction(searched(task), words, interrupts));
    });
}

// Variables of the full task.
std::vector<std::vector<std::int64_t>> blocks(const BoundDominance& dominance) {
    std::vector<std::vector<std::int64_t>> result;
    for (const Factor& factor : dominance.function().factored().factors()) {
        auto& block = result.emplace_back();
        for (const std::int32_t variable : factor.variables)
            block.push_back(static_cast<std::int64_t>(dominance.full_variable(variable)));
    }
    return result;
}

// The bound between row i of one batch and row j of another.
double bound_between(const BoundDominance& dominance, const BoundDominance::Located& from,
                     std::size_t i, const BoundDominance::Located& to, std::size_t j) {
    const std::size_t width = dominance.function().num_factors();
    const std::int64_t value =
        dominance.function().between(std::span(from.places).subspan(i * width, width),
                                     std::span(to.places).subspan(j * width, width));
    if (value != DominanceFunction::kNone) return static_cast<double>(value);
    // A state without places is as hard as itself.
    const bool is_same = std::ranges::equal(dominance.row(from, i), dominance.row(to, j));
    return is_same ? 0.0 : -std::numeric_limits<double>::infinity();
}

Array<double> between(const BoundDominance& dominance, const States& sources,
                      const States& targets) {
    const auto from = dominance.places(sources), to = dominance.places(targets);
    const std::size_t rows = rows_of(sources), columns = rows_of(targets);
    std::vector<double> values(rows * columns);
    without_gil([&](Interrupts& interrupts) {
        for (std::size_t i = 0; i < rows; ++i) {
            interrupts.check();
            for (std::size_t j = 0; j < columns; ++j)
                values[i * columns + j] = bound_between(dominance, from, i, to, j);
        }
        return 0;
    });
    return to_array(std::move(values), {rows, columns});
}

Array<double> rowwise(const BoundDominance& dominance, const States& sources,
                      const States& targets) {
    if (rows_of(sources) != rows_of(targets))
        throw std::invalid_argument("there must be as many targets as sources");
    const auto from = dominance.places(sources), to = dominance.places(targets);
    std::vector<double> values(rows_of(sources));
    without_gil([&](Interrupts& interrupts) {
        interrupts.check();
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = bound_between(dominance, from, i, to, i);
        return 0;
    });
    return to_array(std::move(values));
}

const Factor& factor_of(const BoundDominance& dominance, std::size_t index) {
    const std::vector<Factor>& factors = dominance.function().factored().factors();
    if (index < factors.size()) return factors[index];
    throw std::invalid_argument("there is no factor " + std::to_string(index) + " among " +
                                std::to_string(factors.size()));
}

// The table of a factor, -inf where there is no bound.
Array<double> table(const BoundDominance& dominance, std::size_t factor) {
    factor_of(dominance, factor);
    const Square<Distance>& square = dominance.function().tables()[factor];
    std::vector<double> values;
    values.reserve(square.items().size());
    for (const Distance value : square.items())
        values.push_back(value == kNoBoundOf ? -std::numeric_limits<double>::infinity()
                                             : static_cast<double>(value));
    return to_array(std::move(values), {square.size(), square.size()});
}

// Which state of each factor a state is in, -1 where it was pruned.
Array<std::int32_t> places(const BoundDominance& dominance, const States& states) {
    auto located = dominance.places(states);
    return to_array(std::move(located.places),
                    {rows_of(states), dominance.function().num_factors()});
}

// The values of a factor's variables in each of its states.
Array<Value> states(const BoundDominance& dominance, std::size_t index) {
    const Factor& factor = factor_of(dominance, index);
    return to_array(dominance.function().factored().states(factor),
                    {factor.num_states(), factor.variables.size()});
}

nb::object replay(const BoundDominance& dominance, const State& source, const Operators& plan,
                  const State& target, std::size_t max_steps) {
    const std::vector<Value> from = dominance.projected(source);
    const std::vector<Value> to = dominance.projected(target);
    std::vector<std::int32_t> steps;
    for (std::size_t i = 0; i < rows_of(plan); ++i)
        if (const auto op = dominance.reduced_operator(plan(i)); op >= 0) steps.push_back(op);
    auto found = without_gil([&](Interrupts& interrupts) {
        return Replay(dominance.task(), dominance.function())
            .plan(from, steps, to, max_steps, interrupts);
    });
    if (!found) return nb::none();
    nb::list operators;
    for (const std::int32_t op : *found) operators.append(dominance.full_operator(op));
    return nb::tuple(operators);
}

// Bounds on the cost of plans; operators are those of the whole task.
class BoundBounds {
  public:
    using Ways = std::vector<std::vector<std::int32_t>>;
    using Events = std::vector<std::pair<std::int32_t, std::int64_t>>;

    BoundBounds(const BoundDominance& dominance, std::int64_t lookahead, std::int64_t max_bytes)
        : dominance_(dominance),
          bounds_(dominance.search_task(), dominance.function(), {lookahead, max_bytes}) {}

    void learn(const State& state, const Operators& run, std::int64_t policy_cost) {
        const std::vector<Value> row = dominance_.projected(state);
        std::vector<std::int32_t> steps;
        for (std::size_t i = 0; i < rows_of(run); ++i)
            if (const auto op = dominance_.reduced_operator(run(i)); op >= 0) steps.push_back(op);
        one_at_a_time_(kRefusal, [&](Interrupts& interrupts) {
            bounds_.learn(row, steps, policy_cost < 0 ? kUnbounded : policy_cost, interrupts);
        });
    }
    // The states expanded, and whether that proved that no plan is cheaper.
    std::pair<std::int64_t, bool> look_ahead(std::int64_t cost_bound) {
        SearchResult result;
        one_at_a_time_(kRefusal, [&](Interrupts& interrupts) {
            result = bounds_.look_ahead(cost_bound < 0 ? kNoBound : cost_bound, interrupts);
        });
        return {result.expanded,
                result.status == Status::kBound || result.status == Status::kUnsolvable};
    }
    bool follow(const std::vector<std::int32_t>& way) {
        std::vector<std::int32_t> steps;
        for (const std::int32_t op : way)
            if (const auto kept = dominance_.reduced_operator(op); kept >= 0)
                steps.push_back(kept);
        bool helped = false;
        one_at_a_time_(
            kRefusal, [&](Interrupts& interrupts) { helped = bounds_.follow(steps, interrupts); });
        return helped;
    }
    void spread() {
        one_at_a_time_(kRefusal, [&](Interrupts& interrupts) { bounds_.spread(interrupts); });
    }
    Events take_events() {
        Events events;
        one_at_a_time_(kRefusal, [&](Interrupts&) {
            for (const BoundEvent& event : bounds_.take_events())
                events.emplace_back(event.at, event.bound);
        });
        return events;
    }
    Ways take_ways() {
        Ways ways;
        one_at_a_time_(kRefusal, [&](Interrupts&) { ways = bounds_.take_ways(); });
        for (auto& way : ways)
            for (std::int32_t& op : way) op = dominance_.full_operator(op);
        return ways;
    }
    std::int64_t bound(std::int32_t at) {
        std::int64_t bound = 0;
        one_at_a_time_(kRefusal, [&](Interrupts&) { bound = bounds_.bound(at); });
        return bound == kUnbounded ? -1 : bound;
    }
    nb::object plan(std::int32_t at) {
        std::optional<std::vector<std::int32_t>> found;
        one_at_a_time_(kRefusal,
                       [&](Interrupts& interrupts) { found = bounds_.plan(at, interrupts); });
        if (!found) return nb::none();
        nb::list operators;
        for (const std::int32_t op : *found) operators.append(dominance_.full_operator(op));
        return nb::tuple(operators);
    }
    std::size_t num_states() const { return bounds_.num_states(); }
    std::size_t num_sources() const { return bounds_.num_sources(); }
    std::size_t bytes() const { return bounds_.bytes(); }

  private:
    static constexpr const char* kRefusal = "bounds were asked from within a question";

    const BoundDominance& dominance_;
    Bounds bounds_;
    OneAtATime one_at_a_time_;
};

}  // namespace

void bind_dominance(nb::module_& m) {
    nb::exception<NoDominanceError>(m, "NoDominanceError", PyExc_ValueError);
    nb::class_<BoundDominance>(m, "Dominance")
        .def_static("compute", &compute, "task"_a, "max_transitions"_a, "max_states"_a, "tau"_a,
                    "floor"_a, "max_work"_a, "max_bytes"_a, nb::keep_alive<0, 1>(),
                    nb::rv_policy::take_ownership)
        .def_static("load", &load, "task"_a, "saved"_a.noconvert(), nb::keep_alive<0, 1>(),
                    nb::rv_policy::take_ownership)
        .def_static("objection", &objection, "task"_a)
        .def("saved", [](const BoundDominance& d) { return to_array(d.function().saved()); })
        .def_prop_ro("blocks", &blocks)
        .def_prop_ro("cut", [](const BoundDominance& d) { return d.function().cut(); })
        .def_prop_ro("truncated", [](const BoundDominance& d) { return d.function().truncated(); })
        .def_prop_ro("work", [](const BoundDominance& d) { return d.function().work(); })
        .def("places", &places, "states"_a.noconvert())
        .def("table", &table, "factor"_a)
        .def("states", &states, "factor"_a)
        .def(
            "goal_distances",
            [](const BoundDominance& d, std::size_t factor) {
                return to_array(std::vector<Distance>(factor_of(d, factor).goal_distance));
            },
            "factor"_a)
        .def("between", &between, "sources"_a.noconvert(), "targets"_a.noconvert())
        .def("rowwise", &rowwise, "sources"_a.noconvert(), "targets"_a.noconvert())
        .def("replay", &replay, "source"_a.noconvert(), "plan"_a.noconvert(),
             "target"_a.noconvert(), "max_steps"_a);
    nb::class_<BoundBounds>(m, "Bounds")
        .def(nb::init<const BoundDominance&, std::int64_t, std::int64_t>(), "dominance"_a,
             "lookahead"_a, "max_bytes"_a, nb::keep_alive<1, 2>())
        .def("learn", &BoundBounds::learn, "state"_a.noconvert(), "run"_a.noconvert(),
             "policy_cost"_a)
        .def("look_ahead", &BoundBounds::look_ahead, "cost_bound"_a)
        .def("follow", &BoundBounds::follow, "way"_a)
        .def("spread", &BoundBounds::spread)
        .def("take_events", &BoundBounds::take_events)
        .def("take_ways", &BoundBounds::take_ways)
        .def("bound", &BoundBounds::bound, "at"_a)
        .def("plan", &BoundBounds::plan, "at"_a)
        .def_prop_ro("num_states", &BoundBounds::num_states)
        .def_prop_ro("num_sources", &BoundBounds::num_sources)
        .def_prop_ro("bytes", &BoundBounds::bytes);
}

}  // namespace bugsieve
