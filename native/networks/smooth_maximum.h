// The smooth maximum of the messages that the objects of a relational network get.
#pragma once

#include <cstddef>
#include <cstdint>

#include "networks/network.h"

namespace bugsieve {

// Messages in rows of some lines. Row i goes to node targets[i], which has one row of `sums`, and
// is compared with greatest[groups[i]], than which no number in it is greater.
struct Messages {
    const Line* rows;
    const std::uint32_t* targets;
    const std::uint32_t* groups;
    const float* greatest;
    std::size_t count;
    std::size_t lines;  // of a row
};

// Adds exp(8 (m - greatest)) of each message m to the sums of its target, in the order of the
// messages. As in activations.h, there is nothing but basic arithmetic in it, of floats and with
// errors of about 1e-7; what is not a number stays so.
void add_exponentials(const Messages& messages, Line* sums, bool baseline);

// Replaces each of the sums, which are normal numbers, by its logarithm / 8 + greatest.
void to_maximum(Line* sums, std::size_t lines, float greatest, bool baseline);

// Raises each lane of `most` to that of `row`, if that is a number.
void raise(const Line* row, std::size_t lines, Line& most);

}  // namespace bugsieve
