#include <mutex>

#include "bindings/arrays.h"
#include "heuristics/path_distances.h"
#include "search/search_task.h"

namespace bugsieve {

namespace {

void check_offsets(std::span<const std::int64_t> offsets, std::size_t sources,
                   std::size_t targets) {
    if (offsets.size() != sources + 1)
        throw std::invalid_argument(std::to_string(sources) + " sources need " +
                                    std::to_string(sources + 1) + " offsets, not " +
                                    std::to_string(offsets.size()));
    if (offsets.front() != 0 || offsets.back() != static_cast<std::int64_t>(targets) ||
        !std::is_sorted(offsets.begin(), offsets.end()))
        throw std::invalid_argument("the offsets must rise from 0 to the number of targets, " +
                                    std::to_string(targets));
}

// Distances of a task. They keep scratch memory, so each call takes one of its own.
class BoundPathDistances {
  public:
    explicit BoundPathDistances(const Task& task)
        : task_(task), relaxation_(without_gil([&](Interrupts& interrupts) {
              return relax_towards_all_facts(task.full().fdr(), interrupts);
          })) {}

    Array<std::int32_t> hff(const States& sources, const States& targets, const Ids& offsets) {
        const FdrTask& fdr = task_.full().fdr();
        const std::vector<Value> source_rows = copied_rows(fdr, sources);
        const std::vector<Value> target_rows = copied_rows(fdr, targets);
        std::vector<std::int64_t> bounds;
        for (std::size_t i = 0; i < rows_of(offsets); ++i) bounds.push_back(offsets(i));
        check_offsets(bounds, rows_of(sources), rows_of(targets));
        std::vector<std::int32_t> distances(rows_of(targets));
        without_gil([&](Interrupts& interrupts) {
            std::unique_ptr<PathDistances> worker = take();
            worker->hff(source_rows, target_rows, bounds, distances, interrupts);
            const std::lock_guard lock(mutex_);
            idle_.push_back(std::move(worker));
            return 0;
        });
        return to_array(std::move(distances));
    }

  private:
    std::unique_ptr<PathDistances> take() {
        {
            const std::lock_guard lock(mutex_);
            if (!idle_.empty()) {
                auto worker = std::move(idle_.back());
                idle_.pop_back();
                return worker;
            }
        }
        return std::make_unique<PathDistances>(task_.full().fdr(), relaxation_);
    }

    const Task& task_;
    Relaxation relaxation_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<PathDistances>> idle_;
};

}  // namespace

void bind_distances(nb::module_& m) {
    nb::class_<BoundPathDistances>(m, "PathDistances")
        .def(nb::init<const Task&>(), nb::arg("task"), nb::keep_alive<1, 2>())
        .def("hff", &BoundPathDistances::hff, nb::arg("sources").noconvert(),
             nb::arg("targets").noconvert(), nb::arg("offsets").noconvert());
}

}  // namespace bugsieve
