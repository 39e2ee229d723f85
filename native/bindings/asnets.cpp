#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <limits>
#include <mutex>

#include "basis/threads.h"
#include "bindings/arrays.h"
#include "heuristics/reachable_pairs.h"
#include "networks/asnet.h"
#include "search/search_task.h"

namespace bugsieve {

namespace {

using namespace nb::literals;

using NumberList = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::vector<std::int32_t> copied_numbers(const NumberList& numbers) {
    return {numbers.data(), numbers.data() + numbers.shape(0)};
}

Lists<std::int32_t> copied_lists(const NumberList& starts, const NumberList& items) {
    Lists<std::int32_t> lists{copied_numbers(starts), copied_numbers(items)};
    bool fits = !lists.starts.empty() && lists.starts.front() == 0 &&
                lists.starts.back() == static_cast<std::int32_t>(lists.items.size());
    for (std::size_t k = 1; fits && k < lists.starts.size(); ++k)
        fits = lists.starts[k - 1] <= lists.starts[k];
    if (!fits) throw std::invalid_argument("starts must rise from 0 to the number of items");
    return lists;
}

Array<std::uint8_t> reached_by_pairs(std::size_t num_facts, const NumberList& initial,
                                     const NumberList& need_starts, const NumberList& needs,
                                     const NumberList& add_starts, const NumberList& adds,
                                     const NumberList& delete_starts, const NumberList& deletes) {
    const StripsTask task{num_facts, copied_numbers(initial), copied_lists(need_starts, needs),
                          copied_lists(add_starts, adds), copied_lists(delete_starts, deletes)};
    task.check();
    return to_array(without_gil(
        [&](Interrupts& interrupts) { return operators_reached_by_pairs(task, interrupts); }));
}

using NumberTable = nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using GoalFlags = nb::ndarray<const bool, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using ModuleWeights = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using ModuleBiases = nb::ndarray<const float, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using LayerModules = std::vector<std::vector<std::pair<ModuleWeights, ModuleBiases>>>;

std::vector<std::vector<AsnetModule>> copied_modules(const LayerModules& layers) {
    std::vector<std::vector<AsnetModule>> copies;
    for (const auto& modules : layers) {
        copies.emplace_back();
        for (const auto& [weights, biases] : modules) {
            if (biases.shape(0) != weights.shape(0))
                throw std::invalid_argument("a module needs one bias per output");
            copies.back().push_back({weights.shape(1),
                                     weights.shape(0),
                                     {weights.data(), weights.data() + weights.size()},
                                     {biases.data(), biases.data() + biases.size()}});
        }
    }
    return copies;
}

AsnetStructure copied_structure(const NumberList& fact_starts, const NumberList& action_starts,
                                const GoalFlags& goal, const NumberTable& places,
                                const std::vector<NumberList>& predicates,
                                const std::vector<NumberTable>& related) {
    AsnetStructure structure{
        copied_numbers(fact_starts), copied_numbers(action_starts), {}, {}, {}};
    structure.goal.assign(goal.data(), goal.data() + goal.shape(0));
    if (places.shape(1) != 2 || predicates.size() != related.size())
        throw std::invalid_argument("places are pairs, and schemas have predicates and facts");
    for (std::size_t f = 0; f < places.shape(0); ++f)
        structure.places.push_back({places(f, 0), places(f, 1)});
    for (std::size_t s = 0; s < related.size(); ++s)
        structure.schemas.push_back(
            {copied_numbers(predicates[s]),
             std::vector<std::int32_t>(related[s].data(), related[s].data() + related[s].size())});
    return structure;
}

// The least work of each thread for several to gain, in multiplications: about 2 ms, since on a
// busy machine a thread waits that long for a core.
constexpr std::size_t kWorkOfThread = 40'000'000;

// One call at a time: it has the buffers of its threads.
class BoundAsnet {
  public:
    BoundAsnet(const Task& task, const AsnetStructure& structure, const AsnetWeights& weights,
               const NumberList& operators, const NumberList& ranks, bool baseline,
               std::size_t threads)
        : task_(task),
          asnet_((structure.check(task.full().fdr()), structure), weights,
                 baseline ? Asnet::Instructions::kBaseline : Asnet::Instructions::kBest),
          operators_(copied_numbers(operators)),
          ranks_(copied_numbers(ranks)),
          actions_(task.full().fdr().num_operators(), kNoOperator),
          threads_(threads) {
        if (operators_.size() != asnet_.num_actions() || ranks_.size() != operators_.size())
            throw std::invalid_argument("each action needs an operator and a rank");
        for (std::size_t a = 0; a < operators_.size(); ++a) {
            const auto op = static_cast<std::size_t>(operators_[a]);
            if (operators_[a] < 0 || op >= actions_.size())
                throw std::invalid_argument("an action has an operator that the task has not");
            actions_[op] = static_cast<std::int32_t>(a);
        }
    }

    Array<float> logits(const States& states) {
        const std::size_t width = asnet_.num_actions();
        std::vector<float> scores(rows_of(states) * width);
        for_each_state(states, [&](std::size_t row, const Scratch& scratch) {
            std::copy_n(scratch.buffers.logits.data(), width, scores.data() + row * width);
        });
        return to_array(std::move(scores), {rows_of(states), width});
    }

    Array<std::int32_t> choose(const States& states, double epsilon) {
        std::vector<std::int32_t> chosen(rows_of(states));
        for_each_state(states, [&](std::size_t row, const Scratch& scratch) {
            chosen[row] = first_of_best(scratch, epsilon);
        });
        return to_array(std::move(chosen));
    }

  private:
    struct Scratch {  // of one thread
        Asnet::Buffers buffers;
        std::vector<std::uint8_t> applicable;  // by action
        std::vector<std::int32_t> found;       // operators
    };

    // States are independent, and each has a place of its own for what comes out: which thread
    // takes which of them changes nothing.
    template <class Use>
    void for_each_state(const States& states, Use use) {
        const FdrTask& fdr = task_.full().fdr();
        const std::vector<Value> rows = copied_rows(fdr, states);
        const std::size_t width = fdr.num_variables(), count = rows_of(states);
        without_gil([&](Interrupts& interrupts) {
            const std::lock_guard lock(mutex_);
            const std::size_t workers = workers_for(count);
            while (scratch_.size() < workers)
                scratch_.push_back(
                    {asnet_.make_buffers(), std::vector<std::uint8_t>(asnet_.num_actions()), {}});
            share_items(count, workers, interrupts,
                        [&](std::size_t worker, std::size_t row, Interrupts&) {
                            run(std::span(rows).subspan(row * width, width), scratch_[worker]);
                            use(row, scratch_[worker]);
                        });
            return 0;
        });
    }

    std::size_t workers_for(std::size_t states) const {
        return std::clamp<std::size_t>(states * asnet_.work() / kWorkOfThread, 1,
                                       std::max<std::size_t>(threads_, 1));
    }

    void run(StateView state, Scratch& scratch) const {
        scratch.found.clear();
        task_.full().generator().append_applicable(state, scratch.found);
        std::ranges::fill(scratch.applicable, std::uint8_t{0});
        for (const std::int32_t op : scratch.found) {
            const std::int32_t action = actions_[static_cast<std::size_t>(op)];
            if (action != kNoOperator) scratch.applicable[static_cast<std::size_t>(action)] = 1;
        }
        asnet_.run(state, scratch.applicable.data(), scratch.buffers);
    }

    // The action of lowest rank among the applicable ones whose score is within epsilon of the
    // best. What is not a number is worse than all numbers.
    std::int32_t first_of_best(const Scratch& scratch, double epsilon) const {
        const std::vector<float>& scores = scratch.buffers.logits;
        const std::vector<std::uint8_t>& applicable = scratch.applicable;
        double best = -std::numeric_limits<double>::infinity();
        for (std::size_t a = 0; a < applicable.size(); ++a)
            if (applicable[a] != 0 && scores[a] > best) best = scores[a];
        std::int32_t chosen = kNoOperator;
        std::int32_t rank = std::numeric_limits<std::int32_t>::max();
        for (std::size_t a = 0; a < applicable.size(); ++a) {
            if (applicable[a] == 0 || ranks_[a] >= rank) continue;
            const double score =
                scores[a] == scores[a] ? scores[a] : -std::numeric_limits<double>::infinity();
            if (score < best - epsilon) continue;
            rank = ranks_[a];
            chosen = operators_[a];
        }
        return chosen;
    }

    const Task& task_;
    std::mutex mutex_;
    Asnet asnet_;
    std::vector<std::int32_t> operators_, ranks_, actions_;
    std::size_t threads_;
    std::vector<Scratch> scratch_;  // by worker, as far as they were needed
};

}  // namespace

void bind_asnets(nb::module_& m) {
    m.def("reached_by_pairs", reached_by_pairs, "num_facts"_a, "initial"_a, "need_starts"_a,
          "needs"_a, "add_starts"_a, "adds"_a, "delete_starts"_a, "deletes"_a);
    nb::class_<BoundAsnet>(m, "Asnet")
        .def(
            "__init__",
            [](BoundAsnet* self, const Task& task, const NumberList& fact_starts,
               const NumberList& action_starts, const GoalFlags& goal, const NumberTable& places,
               const std::vector<NumberList>& predicates, const std::vector<NumberTable>& related,
               const NumberList& operators, const NumberList& ranks, std::size_t hidden,
               const LayerModules& action_modules, const LayerModules& predicate_modules,
               bool baseline, std::size_t threads) {
                new (self) BoundAsnet(
                    task,
                    copied_structure(fact_starts, action_starts, goal, places, predicates,
                                     related),
                    {hidden, copied_modules(action_modules), copied_modules(predicate_modules)},
                    operators, ranks, baseline, threads);
            },
            "task"_a, nb::kw_only(), "fact_starts"_a, "action_starts"_a, "goal"_a, "places"_a,
            "predicates"_a, "related"_a, "operators"_a, "ranks"_a, "hidden"_a, "action_modules"_a,
            "predicate_modules"_a, "baseline"_a = false, "threads"_a = 1, nb::keep_alive<1, 2>())
        .def("logits", &BoundAsnet::logits, "states"_a.noconvert())
        .def("choose", &BoundAsnet::choose, "states"_a.noconvert(), "epsilon"_a);
}

}  // namespace bugsieve
