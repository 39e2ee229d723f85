// Quantitative dominance functions: D(s, t) <= h*(s) - h*(t) for every solvable s and every t.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dominance/factor_walks.h"
#include "dominance/factors.h"
#include "dominance/fix_point.h"

namespace bugsieve {

struct DominanceOptions {
    MergeOptions merging;
    Tau tau = Tau::kStages;
    std::int64_t floor = -1;  // below minus this, pairs fall back to walks; -1: as costs ask for
    std::int64_t max_work = -1;  // of merging, of walks and of the fix-point each; -1: no limit
    std::int64_t max_bytes = -1;
};

// The reason why a task has no function.
struct NoDominanceError : std::length_error {
    using std::length_error::length_error;
};

class DominanceFunction {
  public:
    // Throws TooManyOutcomes or NoDominanceError where that can be seen at once.
    static void check(const FdrTask& task);
    // Throws TooManyOutcomes or NoDominanceError where there is none.
    DominanceFunction(const FdrTask& task, const DominanceOptions& options,
                      Interrupts& interrupts);
    // From what `saved` gave for the same task; throws std::invalid_argument.
    DominanceFunction(const FdrTask& task, std::span<const std::int32_t> saved,
                      Interrupts& interrupts);
    std::vector<std::int32_t> saved() const;

    static constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::min();

    std::size_t num_factors() const { return task_->factors().size(); }
    const FactoredTask& factored() const { return *task_; }
    const FactorWalks& walks() const { return *walks_; }
    const DominanceTables& tables() const { return tables_; }
    // The parts that a limit cut: bits of Cut.
    enum Cut : std::int32_t { kMerging = 1, kMemory = 2, kWalks = 4, kFixPoint = 8 };
    std::int32_t cut() const { return cut_; }
    std::int64_t truncated() const { return truncated_; }
    std::int64_t work() const { return work_; }

    // The bound between two states by their places in the factors; kNone if there is none.
    std::int64_t between(std::span<const std::int32_t> s, std::span<const std::int32_t> t) const {
        std::int64_t sum = 0;
        for (std::size_t i = 0; i < s.size(); ++i) {
            if (s[i] == kRemoved || t[i] == kRemoved) return kNone;
            const Distance part =
                tables_[i](static_cast<std::size_t>(s[i]), static_cast<std::size_t>(t[i]));
            if (part == kNoBoundOf) return kNone;
            sum += part;
        }
        return sum;
    }

  private:
    void factorise(const FdrTask& task, const DominanceOptions& options, Interrupts& interrupts);
    std::size_t table_bytes() const;

    std::unique_ptr<FactoredTask> task_;
    std::unique_ptr<FactorWalks> walks_;
    DominanceTables tables_;
    std::int32_t cut_ = 0;
    std::int64_t truncated_ = 0;
    std::int64_t work_ = 0;
};

}  // namespace bugsieve
