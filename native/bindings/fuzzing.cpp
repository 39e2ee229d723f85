#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <mutex>

#include "bindings/arrays.h"
#include "fuzzing/draws.h"
#include "fuzzing/live_successors.h"
#include "fuzzing/walks.h"

namespace bugsieve {

namespace {

std::vector<std::int64_t> copied_ids(const Ids& numbers) {
    std::vector<std::int64_t> copy;
    copy.reserve(rows_of(numbers));
    for (std::size_t i = 0; i < rows_of(numbers); ++i) copy.push_back(numbers(i));
    return copy;
}

std::size_t checked_row(const Draws& draws, std::int64_t row) {
    if (row < 0 || static_cast<std::size_t>(row) >= draws.size())
        throw std::out_of_range("there is no walk in row " + std::to_string(row));
    return static_cast<std::size_t>(row);
}

Array<std::int64_t> below(const Draws& draws, const Ids& rows, std::uint64_t number,
                          const Ids& bounds) {
    if (rows_of(rows) != rows_of(bounds)) throw std::invalid_argument("each row needs one bound");
    std::vector<std::int64_t> drawn;
    drawn.reserve(rows_of(rows));
    for (std::size_t i = 0; i < rows_of(rows); ++i) {
        if (bounds(i) < 1) throw std::invalid_argument("bounds must be positive");
        drawn.push_back(static_cast<std::int64_t>(draws.below(
            checked_row(draws, rows(i)), number, static_cast<std::uint64_t>(bounds(i)))));
    }
    return to_array(std::move(drawn));
}

auto arrays(Successors successors, std::size_t width) {
    const std::size_t count = successors.operators.size();
    return std::make_tuple(to_array(std::move(successors.states), {count, width}),
                           to_array(std::move(successors.operators)),
                           to_array(std::move(successors.offsets)));
}

// Evaluators keep scratch memory, so there is one call at a time.
class LiveSuccessors {
  public:
    LiveSuccessors(const Task& task, bool prune_dead_ends) : task_(task) {
        if (!prune_dead_ends) return;
        without_gil([&](Interrupts& interrupts) {
            relaxation_ = task.full().evaluator("hmax", interrupts);
            return 0;
        });
    }

    // Runs work(heuristic, interrupts); waits without the GIL, which others may ask for meanwhile.
    template <class Work>
    auto alone(Work work) {
        return without_gil([&](Interrupts& interrupts) {
            const std::lock_guard lock(mutex_);
            return work(relaxation_.get(), interrupts);
        });
    }

    auto of(const States& states, std::size_t max_rows) {
        const std::vector<Value> rows = copied_rows(task_.full().fdr(), states);
        return arrays(alone([&](Evaluator* heuristic, Interrupts& interrupts) {
                          return live_successors(task_.full(), rows, heuristic, max_rows,
                                                 interrupts);
                      }),
                      task_.full().fdr().num_variables());
    }

    const SearchTask& task() const { return task_.full(); }

  private:
    const Task& task_;
    std::mutex mutex_;
    std::unique_ptr<Evaluator> relaxation_;
};

using Marks = nb::ndarray<const bool, nb::ndim<1>, nb::device::cpu>;

// Walks that share the heuristic of a LiveSuccessors, and so its lock.
class BoundWalks {
  public:
    BoundWalks(LiveSuccessors& live, const Draws& draws, std::uint64_t first_draw,
               const States& starts, const Ids& lengths)
        : live_(live),
          walks_(live.task(), draws, first_draw, copied_rows(live.task().fdr(), starts),
                 copied_ids(lengths)) {
        if (rows_of(starts) != rows_of(lengths) || rows_of(starts) != draws.size())
            throw std::invalid_argument("each walk needs one start, one length and its draws");
    }

    auto expand(std::size_t max_rows) {
        return arrays(live_.alone([&](Evaluator* heuristic, Interrupts& interrupts) {
            return walks_.expand(heuristic, max_rows, interrupts);
        }),
                      width());
    }
    void move(const Ids& weights, std::optional<Marks> offered) {
        const std::vector<std::int64_t> all = copied_ids(weights);
        std::vector<std::uint8_t> marks;
        for (std::size_t i = 0; offered && i < rows_of(*offered); ++i)
            marks.push_back((*offered)(i));
        live_.alone([&](Evaluator*, Interrupts&) {
            walks_.move(all, marks);
            return 0;
        });
    }
    auto actions() {
        std::vector<std::int32_t> operators;
        std::vector<std::int64_t> offsets{0};
        live_.alone([&](Evaluator*, Interrupts&) {
            for (const auto& walk : walks_.actions()) {
                operators.insert(operators.end(), walk.begin(), walk.end());
                offsets.push_back(static_cast<std::int64_t>(operators.size()));
            }
            return 0;
        });
        return std::make_tuple(to_array(std::move(operators)), to_array(std::move(offsets)));
    }
    auto offers() {
        Offers all = live_.alone([&](Evaluator*, Interrupts&) { return walks_.offers(); });
        const std::size_t count = all.walks.size();
        return std::make_tuple(to_array(std::move(all.walks)), to_array(std::move(all.steps)),
                               to_array(std::move(all.operators)),
                               to_array(std::move(all.states), {count, width()}));
    }

  private:
    std::size_t width() const { return live_.task().fdr().num_variables(); }

    LiveSuccessors& live_;
    Walks walks_;
};

}  // namespace

void bind_fuzzing(nb::module_& m) {
    nb::class_<Draws>(m, "Draws")
        .def(
            "__init__",
            [](Draws* draws, std::uint64_t walk_key, std::uint64_t draw_key, const Ids& walks) {
                new (draws) Draws(walk_key, draw_key, copied_ids(walks));
            },
            nb::arg("walk_key"), nb::arg("draw_key"), nb::arg("walks").noconvert())
        .def("below", &below, nb::arg("rows").noconvert(), nb::arg("number"),
             nb::arg("bounds").noconvert());
    nb::class_<LiveSuccessors>(m, "LiveSuccessors")
        .def(nb::init<const Task&, bool>(), nb::arg("task"), nb::kw_only(),
             nb::arg("prune_dead_ends"), nb::keep_alive<1, 2>())
        .def("of", &LiveSuccessors::of, nb::arg("states").noconvert(), nb::arg("max_rows"));
    nb::class_<BoundWalks>(m, "Walks")
        .def(nb::init<LiveSuccessors&, const Draws&, std::uint64_t, const States&, const Ids&>(),
             nb::arg("live"), nb::arg("draws"), nb::arg("first_draw"),
             nb::arg("starts").noconvert(), nb::arg("lengths").noconvert(), nb::keep_alive<1, 2>())
        .def("expand", &BoundWalks::expand, nb::arg("max_rows"))
        .def("move", &BoundWalks::move, nb::arg("weights").noconvert(),
             nb::arg("offered").noconvert().none())
        .def("actions", &BoundWalks::actions)
        .def("offers", &BoundWalks::offers);
}

}  // namespace bugsieve
