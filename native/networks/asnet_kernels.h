// The inner loops of ASNets, compiled for each instruction set with the same results.
#pragma once

#include <cstddef>
#include <cstdint>

#include "networks/dense_layer.h"

namespace bugsieve {

// Vectors are `lines` lines long. All kernels but the scores end with ELU.

// Layer 0: a constant per action, plus the weights of what is true.
struct FirstActions {
    std::size_t lines, actions, positions;
    const Line* constants;        // a vector per action
    const Line* weights;          // a vector per position, then the one of applicable actions
    const std::int32_t* related;  // a row of facts per action
    const float* truth;           // by fact, 1 or 0
    const std::uint8_t* applicable;
    Line* out;
};

// For each fact the maximum over the vectors of its actions; -1 where it has none.
struct Pool {
    std::size_t lines, facts;
    const std::int32_t* offsets;
    const std::int32_t* members;
    const Line* actions;
    Line* out;
    std::size_t out_stride;
};

// Later layers: a bias, what the related facts give, and what `out` holds, in this order.
struct JoinActions {
    std::size_t lines, actions, positions;
    const Line* biases;
    const Line* shares;
    const std::int32_t* places;  // a row per action, in vectors of the shares
    Line* out;
};

// The last layer: as above, with one number per action instead of a vector. The products with the
// own vector are added over its lines in order. Then lanes i and i + 8, i + 4, i + 2, i + 1 are
// added.
struct ScoreActions {
    std::size_t lines, actions, positions;
    float bias;
    const float* shares;
    const std::int32_t* places;
    const Line* own;
    const Line* weights;  // one vector
    float* out;
};

struct AsnetKernels {
    void (*dense)(const DenseLayer&);
    void (*elu)(Line*, std::size_t lines);
    void (*first)(const FirstActions&);
    void (*pool)(const Pool&);
    void (*join)(const JoinActions&);
    void (*score)(const ScoreActions&);
};

const AsnetKernels& baseline_kernels();
const AsnetKernels& best_kernels();  // that this processor has

}  // namespace bugsieve
