#include "tasks/novelty.h"

#include <mutex>

#include "bindings/arrays.h"
#include "search/search_task.h"

namespace bugsieve {

namespace {

// A store bound to its task. A thread that waits for the lock has given up the GIL, as the holder
// may need the GIL to look for signals.
class BoundNoveltyStore {
  public:
    BoundNoveltyStore(const Task& task, int depth)
        : task_(task), store_(task.full().fdr(), depth) {}

    int depth() const { return store_.depth(); }
    Array<std::int8_t> insert(const States& states) {
        return each(states, [&](StateView state) { return store_.insert(state); });
    }
    Array<std::int8_t> novelty(const States& states) {
        return each(states, [&](StateView state) { return store_.novelty(state); });
    }
    std::size_t bytes() {
        return without_gil([&](Interrupts&) {
            const std::lock_guard lock(mutex_);
            return store_.bytes();
        });
    }

  private:
    template <class Question>
    Array<std::int8_t> each(const States& states, Question question) {
        const std::size_t width = task_.full().fdr().num_variables();
        const std::vector<Value> rows = copied_rows(task_.full().fdr(), states);
        std::vector<std::int8_t> answers(rows_of(states));
        // A row of many variables is much work, one of few is less than a look at the clock.
        const std::size_t portion = depth() == 3 || width > 100 ? 1 : 64;
        without_gil([&](Interrupts& interrupts) {
            const std::lock_guard lock(mutex_);
            for (std::size_t row = 0; row < answers.size(); ++row) {
                if (row % portion == 0) interrupts.check();
                answers[row] = static_cast<std::int8_t>(
                    question(std::span(rows).subspan(row * width, width)));
            }
            return 0;
        });
        return to_array(std::move(answers));
    }

    const Task& task_;
    std::mutex mutex_;
    NoveltyStore store_;
};

}  // namespace

void bind_novelty(nb::module_& m) {
    nb::class_<BoundNoveltyStore>(m, "NoveltyStore")
        .def(nb::init<const Task&, int>(), nb::arg("task"), nb::arg("depth"),
             nb::keep_alive<1, 2>())
        .def_prop_ro("depth", &BoundNoveltyStore::depth)
        .def("insert", &BoundNoveltyStore::insert, nb::arg("states").noconvert())
        .def("novelty", &BoundNoveltyStore::novelty, nb::arg("states").noconvert())
        .def_prop_ro("memory_bytes", &BoundNoveltyStore::bytes);
}

}  // namespace bugsieve
