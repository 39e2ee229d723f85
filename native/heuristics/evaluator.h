// Heuristics over batches of states.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "basis/budget.h"
#include "heuristics/relaxation.h"
#include "tasks/fdr_task.h"

namespace bugsieve {

constexpr std::int32_t kDeadEnd = std::numeric_limits<std::int32_t>::max();

// Operators that a heuristic recommends, state after state: those of state i are
// operators[offsets[i]] to operators[offsets[i + 1]], ascending.
struct Preferred {
    std::vector<std::int32_t> operators;
    std::vector<std::int64_t> offsets{0};
};

// Computes one heuristic; keeps scratch memory, so each thread needs its own.
class Evaluator {
  public:
    virtual ~Evaluator() = default;

    // `states` holds values.size() rows. Fills `preferred` if it is given and the heuristic has
    // preferred operators.
    virtual void evaluate(std::span<const Value> states, std::span<std::int32_t> values,
                          Interrupts& interrupts, Preferred* preferred = nullptr) = 0;
    virtual bool has_preferred() const { return false; }
    // Returns true if no value exceeds the cost of the best plan. Dead ends are real either way.
    virtual bool is_admissible() const { return false; }
};

// Names: "blind", "hmax", "hadd", "hff", "lmcut".
std::span<const std::string_view> heuristic_names();
bool is_heuristic(std::string_view name);

std::unique_ptr<Evaluator> make_blind_evaluator(const FdrTask& task);

// All but "blind". Task and relaxation must outlive the evaluator.
std::unique_ptr<Evaluator> make_evaluator(std::string_view name, const FdrTask& task,
                                          const Relaxation& relaxation);

}  // namespace bugsieve
