#include "fuzzing/draws.h"

#include <stdexcept>

namespace bugsieve {

namespace {

constexpr std::uint64_t kWalkStride = 0x9e3779b97f4a7c15;
constexpr std::uint64_t kDrawStride = 0xd1342543de82ef95;
// Added to a draw's number for each further attempt; no walk has that many steps.
constexpr std::uint64_t kRetry = std::uint64_t{1} << 32;

// A bijection in which every bit depends on every other (the finaliser of SplitMix64).
std::uint64_t mixed(std::uint64_t word) {
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9;
    word = (word ^ (word >> 27)) * 0x94d049bb133111eb;
    return word ^ (word >> 31);
}

}  // namespace

Draws::Draws(std::uint64_t walk_key, std::uint64_t draw_key, std::span<const std::int64_t> walks)
    : draw_key_(draw_key) {
    streams_.reserve(walks.size());
    for (const std::int64_t walk : walks)
        streams_.push_back(mixed(static_cast<std::uint64_t>(walk) * kWalkStride + walk_key));
}

std::uint64_t Draws::word(std::size_t row, std::uint64_t number) const {
    return mixed(streams_[row] + number * kDrawStride + draw_key_);
}

std::uint64_t Draws::below(std::size_t row, std::uint64_t number, std::uint64_t bound) const {
    // The upper half of word · bound. 2^64 mod `bound` of the words are too many for an even
    // share; they are those with the smallest lower halves.
    const std::uint64_t too_many = (0 - bound) % bound;
    for (;; number += kRetry) {
        const auto product = static_cast<unsigned __int128>(word(row, number)) * bound;
        if (static_cast<std::uint64_t>(product) >= too_many)
            return static_cast<std::uint64_t>(product >> 64);
    }
}

std::int64_t Draws::choose(std::size_t row, std::uint64_t number,
                           std::span<const std::int64_t> weights) const {
    std::int64_t sum = 0;
    for (const std::int64_t weight : weights)
        if (weight < 0 || __builtin_add_overflow(sum, weight, &sum))
            throw std::invalid_argument("weights must not be negative nor their sum exceed 2^63");
    if (sum == 0) return -1;
    auto left = static_cast<std::int64_t>(below(row, number, static_cast<std::uint64_t>(sum)));
    std::int64_t position = 0;
    for (const std::int64_t weight : weights) {
        if (left < weight) break;
        left -= weight;
        ++position;
    }
    return position;
}

}  // namespace bugsieve
