// The common part of the two explorations of the relaxation.
#pragma once

#include <cstdint>
#include <limits>

namespace bugsieve {

enum class Combine { kMax, kSum };  // h^max, h^add

constexpr std::uint64_t kUnreachable = std::numeric_limits<std::uint64_t>::max();
// Larger sums are cut to this, so that they stay apart from kUnreachable.
constexpr std::uint64_t kLargestValue = std::uint64_t{1} << 62;

}  // namespace bugsieve
