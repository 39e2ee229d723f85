// Properties of expressions that hold without a state: the ranges of integers, and if evaluation
// can fail.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "jani/description.h"

namespace bugsieve::jani {

struct Range {
    std::int64_t lower = std::numeric_limits<std::int64_t>::min();
    std::int64_t upper = std::numeric_limits<std::int64_t>::max();
};

// One entry per node. Ranges hold wherever evaluation succeeds; those of reals say nothing.
struct Analysis {
    std::vector<Range> ranges;
    std::vector<bool> can_fail;
};

Analysis analyse(const Description& model);

}  // namespace bugsieve::jani
