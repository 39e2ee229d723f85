// h^max and h^add values of the facts for a single state, in order of rising value.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "heuristics/lane_exploration.h"
#include "heuristics/relaxation.h"

namespace bugsieve {

// A queue of (key, item) whose keys never fall below the last one taken out. Small keys have a
// bucket each, the few large ones share a heap.
class MonotoneQueue {
  public:
    void push(std::uint32_t key, std::int32_t item) {
        if (key < kBuckets) {
            if (key >= buckets_.size()) buckets_.resize(key + 1);
            buckets_[key].push_back(item);
            ++in_buckets_;
        } else {
            push_large(key, item);
        }
    }
    bool empty() const { return in_buckets_ == 0 && heap_.empty(); }
    std::pair<std::uint32_t, std::int32_t> pop() {
        if (in_buckets_ == 0) return pop_large();
        while (buckets_[current_].empty()) ++current_;
        const std::int32_t item = buckets_[current_].back();
        buckets_[current_].pop_back();
        --in_buckets_;
        return {current_, item};
    }
    void clear();
    // Allows keys from `key` on again; the queue must be empty.
    void restart(std::uint32_t key) { current_ = key < kBuckets ? key : 0; }

  private:
    static constexpr std::uint32_t kBuckets = 1 << 15;
    void push_large(std::uint32_t key, std::int32_t item);
    std::pair<std::uint32_t, std::int32_t> pop_large();

    std::vector<std::vector<std::int32_t>> buckets_;
    std::vector<std::pair<std::uint32_t, std::int32_t>> heap_;
    std::uint32_t current_ = 0;
    std::size_t in_buckets_ = 0;
};

// Dijkstra's algorithm on the relaxation. The values are those of LaneExploration.
class ScalarExploration {
  public:
    static constexpr std::uint32_t kInfinity = std::numeric_limits<std::uint32_t>::max();
    static constexpr std::uint32_t kLargest = kInfinity - 1;  // larger sums are cut to this

    ScalarExploration(const Relaxation& relaxation, std::span<const std::int32_t> costs);

    enum class Extent { kUntilGoal, kAllFacts };

    // With kUntilGoal, facts that cost more than the most expensive goal fact may stay at any
    // value above it.
    void explore(StateView state, Combine combine, Extent extent);

    std::uint32_t value(std::int32_t fact) const {
        return values_[static_cast<std::size_t>(fact)];
    }

  private:
    template <Combine kCombine>
    void run(Extent extent);
    void offer(std::int32_t op, std::uint32_t value);

    const Relaxation& relaxation_;
    std::vector<std::uint32_t> costs_;
    std::vector<std::uint32_t> values_;
    std::vector<std::uint32_t> op_values_;
    std::vector<std::int32_t> missing_;
    std::vector<std::int32_t> all_missing_;
    std::vector<std::uint8_t> is_goal_;
    MonotoneQueue queue_;
};

}  // namespace bugsieve
