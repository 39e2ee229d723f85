// Random numbers for batches of walks. Draw number n of a walk is a function of two keys, the
// number of the walk and n alone. So walks can run in any order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace bugsieve {

class Draws {
  public:
    // Row i belongs to walk walks[i].
    Draws(std::uint64_t walk_key, std::uint64_t draw_key, std::span<const std::int64_t> walks);

    std::size_t size() const { return streams_.size(); }

    // 64 random bits.
    std::uint64_t word(std::size_t row, std::uint64_t number) const;

    // A number below `bound`, which is positive, each exactly equally likely.
    std::uint64_t below(std::size_t row, std::uint64_t number, std::uint64_t bound) const;

    // The position of one of the weights, each as likely as its share of their sum; -1 if that
    // is 0. Weights are not negative.
    std::int64_t choose(std::size_t row, std::uint64_t number,
                        std::span<const std::int64_t> weights) const;

  private:
    std::uint64_t draw_key_;
    std::vector<std::uint64_t> streams_;
};

}  // namespace bugsieve
