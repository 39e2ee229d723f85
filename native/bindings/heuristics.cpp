#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <mutex>

#include "bindings/arrays.h"
#include "search/search_task.h"

namespace bugsieve {

namespace {

// A heuristic for a task. Evaluators keep scratch memory, so each call takes one of its own.
class Heuristic {
  public:
    Heuristic(const Task& task, std::string name) : task_(task), name_(std::move(name)) {
        check_heuristic(name_);
    }

    const std::string& name() const { return name_; }

    Array<std::int32_t> evaluate(const States& states) { return to_array(run(states, nullptr)); }

    auto evaluate_preferred(const States& states) {
        if (name_ != "hff")
            throw std::invalid_argument(name_ + " has no preferred operators; hff has");
        Preferred preferred;
        auto values = run(states, &preferred);
        return std::make_tuple(to_array(std::move(values)),
                               to_array(std::move(preferred.operators)),
                               to_array(std::move(preferred.offsets)));
    }

  private:
    std::vector<std::int32_t> run(const States& states, Preferred* preferred) {
        const std::vector<Value> rows = copied_rows(task_.full().fdr(), states);
        std::vector<std::int32_t> values(rows_of(states));
        without_gil([&](Interrupts& interrupts) {
            std::unique_ptr<Evaluator> evaluator = take(interrupts);
            evaluator->evaluate(rows, values, interrupts, preferred);
            const std::lock_guard lock(mutex_);
            idle_.push_back(std::move(evaluator));
            return 0;
        });
        return values;
    }

    std::unique_ptr<Evaluator> take(Interrupts& interrupts) {
        {
            const std::lock_guard lock(mutex_);
            if (!idle_.empty()) {
                auto evaluator = std::move(idle_.back());
                idle_.pop_back();
                return evaluator;
            }
        }
        return task_.full().evaluator(name_, interrupts);
    }

    const Task& task_;
    std::string name_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<Evaluator>> idle_;
};

}  // namespace

void bind_heuristics(nb::module_& m) {
    nb::class_<Heuristic>(m, "Heuristic")
        .def(nb::init<const Task&, std::string>(), nb::arg("task"), nb::arg("name"),
             nb::keep_alive<1, 2>())
        .def_prop_ro("name", &Heuristic::name)
        .def("evaluate", &Heuristic::evaluate, nb::arg("states").noconvert())
        .def("evaluate_preferred", &Heuristic::evaluate_preferred, nb::arg("states").noconvert());
}

}  // namespace bugsieve
