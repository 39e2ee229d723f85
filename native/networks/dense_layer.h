// One fully connected layer for several rows, in vectors that hold outputs. Each sum is built in
// the order of the inputs with a rounding after each product, for every width of the vectors.
#pragma once

#include <cstddef>

namespace bugsieve {

constexpr std::size_t kStripe = 16;  // floats of a cache line

struct alignas(64) Line {
    float lanes[kStripe];
};

inline std::size_t stripes(std::size_t size) { return (size + kStripe - 1) / kStripe; }

template <std::size_t kBytes>
struct Register {
    typedef float Lanes [[gnu::vector_size(kBytes), gnu::may_alias]];
    typedef unsigned Numbers [[gnu::vector_size(kBytes), gnu::may_alias]];
    typedef int Bits [[gnu::vector_size(kBytes), gnu::may_alias]];
};

// The data that one layer reads and writes, as raw pointers: the loops are compiled once for each
// instruction set and must not instantiate library code of their own.
struct DenseLayer {
    std::size_t inputs;
    std::size_t stripes;  // of outputs
    const Line* weights;  // per stripe, one line per input
    const Line* biases;   // one line per stripe
    const Line* in;
    Line* out;
    std::size_t in_stride, out_stride;  // lines of a row
    std::size_t rows;
    bool is_rectified;  // sums below 0 become 0
};

// kStripes stripes of outputs for kRows rows, with all sums in registers.
template <std::size_t kBytes, std::size_t kRows, std::size_t kStripes>
[[gnu::always_inline]] inline void sum_up(const DenseLayer& t, std::size_t stripe,
                                          std::size_t row) {
    using Lanes = typename Register<kBytes>::Lanes;
    constexpr std::size_t kParts = sizeof(Line) / kBytes;
    const Line* const weights = t.weights + stripe * t.inputs;
    const Line* const in = t.in + row * t.in_stride;
    Lanes sums[kRows][kStripes * kParts];
    for (std::size_t r = 0; r < kRows; ++r)
        for (std::size_t p = 0; p < kStripes * kParts; ++p)
            sums[r][p] = reinterpret_cast<const Lanes*>(t.biases + stripe)[p];
    for (std::size_t i = 0; i < t.inputs; ++i)
        for (std::size_t s = 0; s < kStripes; ++s) {
            const Lanes* const weight = reinterpret_cast<const Lanes*>(weights + s * t.inputs + i);
            for (std::size_t r = 0; r < kRows; ++r) {
                const float value = in[r * t.in_stride].lanes[i];
                for (std::size_t p = 0; p < kParts; ++p)
                    sums[r][s * kParts + p] += weight[p] * value;
            }
        }
    const Lanes zero{};
    for (std::size_t r = 0; r < kRows; ++r) {
        Lanes* const out = reinterpret_cast<Lanes*>(t.out + (row + r) * t.out_stride + stripe);
        for (std::size_t p = 0; p < kStripes * kParts; ++p)  // NaN stays so
            out[p] = t.is_rectified ? (sums[r][p] < zero ? zero : sums[r][p]) : sums[r][p];
    }
}

// A processor adds several numbers at a time only if they belong to different sums: those of
// several rows or, in rows that are left over, of several stripes.
template <std::size_t kBytes, std::size_t kTogether>
[[gnu::always_inline]] inline void run_dense(const DenseLayer& t) {
    const std::size_t whole = t.rows - t.rows % kTogether;
    for (std::size_t stripe = 0; stripe < t.stripes; ++stripe)
        for (std::size_t row = 0; row < whole; row += kTogether)
            sum_up<kBytes, kTogether, 1>(t, stripe, row);
    for (std::size_t row = whole; row < t.rows; ++row) {
        std::size_t stripe = 0;
        for (; stripe + kTogether <= t.stripes; stripe += kTogether)
            sum_up<kBytes, 1, kTogether>(t, stripe, row);
        for (; stripe < t.stripes; ++stripe) sum_up<kBytes, 1, 1>(t, stripe, row);
    }
}

}  // namespace bugsieve
