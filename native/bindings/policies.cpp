#include <nanobind/stl/string.h>

#include <mutex>

#include "bindings/arrays.h"
#include "policies/best_successors.h"

namespace bugsieve {

namespace {

// One call at a time: the values that it remembers are shared.
class BoundBestSuccessors {
  public:
    BoundBestSuccessors(const Task& task, const std::string& heuristic, bool improving,
                        std::size_t max_bytes)
        : task_(task) {
        check_heuristic(heuristic);
        const auto order =
            improving ? BestSuccessors::Order::kImproving : BestSuccessors::Order::kNearest;
        without_gil([&](Interrupts& interrupts) {
            const SearchTask& full = task.full();
            best_ = std::make_unique<BestSuccessors>(full, full.evaluator(heuristic, interrupts),
                                                     order, max_bytes);
            return 0;
        });
    }

    Array<std::int32_t> choose(const States& states) {
        const std::vector<Value> rows = copied_rows(task_.full().fdr(), states);
        std::vector<std::int32_t> chosen(rows_of(states));
        without_gil([&](Interrupts& interrupts) {
            const std::lock_guard lock(mutex_);
            best_->choose(rows, chosen, interrupts);
            return 0;
        });
        return to_array(std::move(chosen));
    }

  private:
    const Task& task_;
    std::mutex mutex_;
    std::unique_ptr<BestSuccessors> best_;
};

}  // namespace

void bind_policies(nb::module_& m) {
    nb::class_<BoundBestSuccessors>(m, "BestSuccessors")
        .def(nb::init<const Task&, const std::string&, bool, std::size_t>(), nb::arg("task"),
             nb::arg("heuristic"), nb::kw_only(), nb::arg("improving"),
             nb::arg("max_bytes") = BestSuccessors::kMostBytes, nb::keep_alive<1, 2>())
        .def("choose", &BoundBestSuccessors::choose, nb::arg("states").noconvert());
}

}  // namespace bugsieve
