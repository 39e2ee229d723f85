// A priority queue for Dijkstra's algorithm.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace bugsieve {

// Holds (key, item) pairs whose keys never fall below the last one taken out. Small keys have a
// bucket each, the few large ones share a heap.
class MonotoneQueue {
  public:
    void push(std::uint64_t key, std::int32_t item) {
        if (key >= kBuckets) return push_large(key, item);
        if (key >= buckets_.size()) buckets_.resize(key + 1);
        buckets_[key].push_back(item);
        ++in_buckets_;
    }
    bool empty() const { return in_buckets_ == 0 && heap_.empty(); }
    std::pair<std::uint64_t, std::int32_t> pop() {
        if (in_buckets_ == 0) return pop_large();
        while (buckets_[current_].empty()) ++current_;
        const std::int32_t item = buckets_[current_].back();
        buckets_[current_].pop_back();
        --in_buckets_;
        return {current_, item};
    }
    // Empties the queue and allows all keys again.
    void clear() {
        for (; in_buckets_ > 0; ++current_) {
            in_buckets_ -= buckets_[current_].size();
            buckets_[current_].clear();
        }
        heap_.clear();
        current_ = 0;
    }

  private:
    using Entry = std::pair<std::uint64_t, std::int32_t>;
    static constexpr std::uint64_t kBuckets = 1 << 15;
    static constexpr auto kLater = [](const Entry& a, const Entry& b) {
        return a.first > b.first;
    };

    void push_large(std::uint64_t key, std::int32_t item) {
        heap_.emplace_back(key, item);
        std::push_heap(heap_.begin(), heap_.end(), kLater);
    }
    Entry pop_large() {
        std::pop_heap(heap_.begin(), heap_.end(), kLater);
        const Entry top = heap_.back();
        heap_.pop_back();
        return top;
    }

    std::vector<std::vector<std::int32_t>> buckets_;
    std::vector<Entry> heap_;
    std::uint64_t current_ = 0;
    std::size_t in_buckets_ = 0;
};

}  // namespace bugsieve
