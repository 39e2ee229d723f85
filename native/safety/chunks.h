// Arrays in pieces, which grow without moving what they hold: no second copy, no slack in
// proportion to their size.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

namespace bugsieve {

// Has every index; pieces appear when they are first touched, filled with T{}.
template <class T>
class Chunks {
  public:
    T& at(std::size_t index) {
        const std::size_t chunk = index >> kBits;
        if (chunk >= chunks_.size() || !chunks_[chunk]) [[unlikely]]
            add(chunk);
        return chunks_[chunk][index & kMask];
    }
    // Only where `at` was before.
    T& operator[](std::size_t index) { return chunks_[index >> kBits][index & kMask]; }
    const T& operator[](std::size_t index) const { return chunks_[index >> kBits][index & kMask]; }
    T get(std::size_t index) const {
        const std::size_t chunk = index >> kBits;
        return chunk < chunks_.size() && chunks_[chunk] ? chunks_[chunk][index & kMask] : T{};
    }
    std::size_t bytes() const {
        return touched_ * sizeof(T) * (kMask + 1) + chunks_.capacity() * sizeof(chunks_[0]);
    }

  private:
    static constexpr std::size_t kBits = 10;
    static constexpr std::size_t kMask = (std::size_t{1} << kBits) - 1;

    void add(std::size_t chunk) {
        if (chunk >= chunks_.size()) chunks_.resize(chunk + 1);
        chunks_[chunk] = std::make_unique_for_overwrite<T[]>(kMask + 1);
        std::fill_n(chunks_[chunk].get(), kMask + 1, T{});
        ++touched_;
    }

    std::vector<std::unique_ptr<T[]>> chunks_;
    std::size_t touched_ = 0;
};

template <class T>
class ChunkedStack {
  public:
    void push(const T& item) { items_.at(size_++) = item; }
    void pop() { --size_; }
    T& top() { return items_[size_ - 1]; }
    T take() { return items_[--size_]; }
    T& operator[](std::size_t index) { return items_[index]; }
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    void clear() { size_ = 0; }
    std::size_t bytes() const { return items_.bytes(); }

  private:
    Chunks<T> items_;
    std::size_t size_ = 0;
};

}  // namespace bugsieve
