// Finds the applicable operators of a state by intersecting one bit mask per variable.
#pragma once

#include <cstdint>
#include <vector>

#include "tasks/fdr_task.h"

namespace bugsieve {

// The mask of a fact has a bit for every operator that does not require its variable to have
// another value. Masks are cut into blocks of a cache line; most blocks are empty after the first
// few variables, so a state costs little even where hundreds of operators are applicable.
class ApplicabilityMasks {
  public:
    struct Size {
        std::size_t lines;  // cache lines a state may touch: blocks times variables tested
        std::size_t bytes;
    };
    static Size size_for(const FdrTask& task);

    explicit ApplicabilityMasks(const FdrTask& task);

    // Appends the ids of the operators applicable in `state`, ascending.
    void append_applicable(StateView state, std::vector<std::int32_t>& operators) const;

    std::size_t bytes() const { return blocks_.capacity() * sizeof(Block); }

  private:
    static constexpr std::size_t kWords = 8;
    struct alignas(64) Block {
        std::uint64_t words[kWords];
    };
    struct Tested {
        std::size_t variable;
        std::size_t first_row;  // of the variable's values, into rows of blocks_
    };

    std::size_t blocks_per_row_;
    std::vector<Tested> tested_;  // variables that operators test, the most selective first
    std::vector<Block> blocks_;   // row 0 has all operators, then a row for each value
};

}  // namespace bugsieve
