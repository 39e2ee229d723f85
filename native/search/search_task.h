// A task with everything a search needs, each part built when it is first asked for.
#pragma once

#include <memory>
#include <mutex>

#include "heuristics/evaluator.h"
#include "heuristics/relaxation.h"
#include "tasks/fdr_task.h"
#include "tasks/projection.h"
#include "tasks/state_registry.h"
#include "tasks/successor_generator.h"

namespace bugsieve {

// Builds a T once, also when several threads ask at the same time. If building throws, the next
// to ask builds it.
template <class T>
class Lazy {
  public:
    template <class Build>
    const T& get(Build build) const {
        std::call_once(once_, [&] { value_ = std::make_unique<const T>(build()); });
        return *value_;
    }

  private:
    mutable std::once_flag once_;
    mutable std::unique_ptr<const T> value_;
};

class SearchTask {
  public:
    SearchTask(FdrTask task, std::size_t max_mask_lines)
        : fdr_(std::move(task)), packing_(fdr_), max_mask_lines_(max_mask_lines) {}

    const FdrTask& fdr() const { return fdr_; }
    const Packing& packing() const { return packing_; }
    const SuccessorGenerator& generator() const {
        return generator_.get([&] { return SuccessorGenerator(fdr_, max_mask_lines_); });
    }
    const Relaxation& relaxation(Interrupts& interrupts) const {
        return relaxation_.get([&] { return Relaxation(fdr_, interrupts); });
    }
    std::unique_ptr<Evaluator> evaluator(std::string_view heuristic,
                                         Interrupts& interrupts) const {
        if (heuristic == "blind") return make_blind_evaluator(fdr_);
        return make_evaluator(heuristic, fdr_, relaxation(interrupts));
    }

  private:
    FdrTask fdr_;
    Packing packing_;
    std::size_t max_mask_lines_;
    Lazy<SuccessorGenerator> generator_;
    Lazy<Relaxation> relaxation_;
};

// The full task, and the part of it in which plans are searched for.
class Task {
  public:
    explicit Task(FdrTask task, std::size_t max_mask_lines = SuccessorGenerator::kMaskLines)
        : full_(std::move(task), max_mask_lines), max_mask_lines_(max_mask_lines) {}

    const SearchTask& full() const { return full_; }

    struct Reduced {
        std::unique_ptr<const SearchTask> task;  // null: nothing can be dropped
        Projection projection;                   // its `task` has moved into the above
    };
    const Reduced& reduced() const {
        return reduced_.get([&] {
            Reduced reduced;
            std::optional<Projection> projection = project(full_.fdr());
            if (!projection) return reduced;
            reduced.projection = std::move(*projection);
            reduced.task = std::make_unique<const SearchTask>(std::move(reduced.projection.task),
                                                              max_mask_lines_);
            return reduced;
        });
    }

  private:
    SearchTask full_;
    std::size_t max_mask_lines_;
    Lazy<Reduced> reduced_;
};

}  // namespace bugsieve
