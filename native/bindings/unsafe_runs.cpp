#include "fuzzing/unsafe_runs.h"

#include <nanobind/stl/string.h>

#include "bindings/arrays.h"
#include "bindings/one_at_a_time.h"

namespace bugsieve {

namespace {

using namespace nb::literals;

constexpr std::size_t kMostStates = std::size_t{1} << 31;  // of a lookahead: 32 bits number them

SuccessorChoice choice_of(const std::string& name) {
    if (name == "uniform") return SuccessorChoice::kUniform;
    if (name == "greedy") return SuccessorChoice::kGreedy;
    if (name == "sampling") return SuccessorChoice::kSampling;
    throw std::invalid_argument("unknown choice '" + name + "'");
}

// May be asked from any thread, one call at a time.
class BoundUnsafeRuns {
  public:
    BoundUnsafeRuns(TransitionSystem& system, PolicyView& policy, const std::string& choice,
                    std::size_t lookahead, std::size_t lookahead_states, std::size_t most_steps,
                    std::size_t lanes, std::size_t most_bytes)
        : runs_(system, policy,
                {{choice_of(choice), lookahead, std::min(lookahead_states, kMostStates)},
                 most_steps,
                 lanes,
                 most_bytes}) {
        if (lookahead < 1 || lanes < 1)
            throw std::invalid_argument("lookahead and lanes must be positive");
    }

    nb::tuple run(const PackedStates& starts, const Ids& numbers, std::uint64_t walk_key,
                  std::uint64_t draw_key) {
        if (starts.shape(0) != numbers.shape(0) || starts.shape(1) != runs_.words())
            throw std::invalid_argument("each walk needs a start of " +
                                        std::to_string(runs_.words()) + " words");
        const std::vector<std::uint64_t> rows(starts.data(), starts.data() + starts.size());
        std::vector<std::int64_t> walks;
        for (std::size_t i = 0; i < numbers.shape(0); ++i) walks.push_back(numbers(i));
        const Draws draws(walk_key, draw_key, walks);
        WalkResults found;
        alone_(kRefusal,
               [&](Interrupts& interrupts) { found = runs_.run(rows, draws, interrupts); });
        const std::size_t length = found.actions.size();
        return nb::make_tuple(to_array(std::move(found.endings)), to_array(std::move(found.steps)),
                              to_array(std::move(found.offsets)),
                              to_array(std::move(found.states), {length, runs_.words()}),
                              to_array(std::move(found.actions)));
    }

    std::int64_t decisions() {
        return counted([&] { return runs_.decisions(); });
    }
    std::int64_t forgotten() {
        return counted([&] { return runs_.forgotten(); });
    }
    std::int64_t num_states() {
        return counted([&] { return static_cast<std::int64_t>(runs_.num_states()); });
    }
    std::int64_t bytes() {
        return counted([&] { return static_cast<std::int64_t>(runs_.bytes()); });
    }

  private:
    static constexpr const char* kRefusal = "a policy asked the walks that ask it";

    template <class Count>
    std::int64_t counted(Count count) {
        std::int64_t number = 0;
        alone_(kRefusal, [&](Interrupts&) { number = count(); });
        return number;
    }

    OneAtATime alone_;
    UnsafeRuns runs_;
};

}  // namespace

void bind_unsafe_runs(nb::module_& m) {
    nb::class_<BoundUnsafeRuns>(m, "UnsafeRuns")
        .def(nb::init<TransitionSystem&, PolicyView&, const std::string&, std::size_t, std::size_t,
                      std::size_t, std::size_t, std::size_t>(),
             "system"_a, "policy"_a, nb::kw_only(), "choice"_a, "lookahead"_a,
             "lookahead_states"_a, "step_limit"_a, "lanes"_a, "max_bytes"_a,
             nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>())
        .def("run", &BoundUnsafeRuns::run, "starts"_a.noconvert(), "numbers"_a.noconvert(),
             "walk_key"_a, "draw_key"_a)
        .def_prop_ro("decisions", &BoundUnsafeRuns::decisions)
        .def_prop_ro("times_forgotten", &BoundUnsafeRuns::forgotten)
        .def_prop_ro("num_states", &BoundUnsafeRuns::num_states)
        .def_prop_ro("memory_bytes", &BoundUnsafeRuns::bytes);
}

}  // namespace bugsieve
