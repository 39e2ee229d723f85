#include "networks/smooth_maximum.h"

namespace bugsieve {

namespace {

constexpr float kSmoothness = 8;        // alpha in the paper
constexpr float kLeast = -80;           // e to this is nothing beside the 1e-16 in each sum
constexpr float kPerLn2 = 1.44269504F;  // 1 / ln 2
// ln 2 in two parts: products of the first with small whole numbers are exact.
constexpr float kLn2 = 0.693359375F, kLn2Rest = -2.12194440e-4F;
// Added to a small number, it leaves no bits for a fraction; the last ones are a whole number.
constexpr float kRounder = 12582912;  // 1.5 * 2^23
constexpr std::int32_t kOne = 0x3F800000, kHalf = 0x3F000000, kFraction = 0x007FFFFF;
constexpr float kRootOfHalf = 0.707106781F;

// Polynomials of the Cephes library for e^x and ln(1 + x), highest power first.
constexpr float kExponential[] = {1.9875691500e-4F, 1.3981999507e-3F, 8.3334519073e-3F,
                                  4.1665795894e-2F, 1.6666665459e-1F, 5.0000001201e-1F};
constexpr float kLogarithm[] = {7.0376836292e-2F,  -1.1514610310e-1F, 1.1676998740e-1F,
                                -1.2420140846e-1F, 1.4249322787e-1F,  -1.6668057665e-1F,
                                2.0000714765e-1F,  -2.4999993993e-1F, 3.3333331174e-1F};

template <std::size_t kBytes, std::size_t kSize>
[[gnu::always_inline]] inline auto polynomial(const float (&factors)[kSize],
                                              typename Register<kBytes>::Lanes x) {
    typename Register<kBytes>::Lanes sum = x * 0.0F + factors[0];
    for (std::size_t k = 1; k < kSize; ++k) sum = sum * x + factors[k];
    return sum;
}

// e^x for x <= 0: 2^n times the series of the rest, which is at most ln 2 / 2.
template <std::size_t kBytes>
[[gnu::always_inline]] inline auto exponential(typename Register<kBytes>::Lanes x) {
    using Lanes = typename Register<kBytes>::Lanes;
    using Bits = typename Register<kBytes>::Bits;
    const Lanes least = Lanes{} + kLeast;
    x = x < least ? least : x;
    const Lanes rounded = x * kPerLn2 + kRounder;
    const Lanes n = rounded - kRounder;
    const Lanes rest = (x - n * kLn2) - n * kLn2Rest;
    const Lanes series = polynomial<kBytes>(kExponential, rest) * rest * rest + rest + 1.0F;
    const Bits power = ((Bits)rounded << 23) + kOne;
    return series * (Lanes)power;
}

// ln x for normal numbers: n ln 2 plus the series of the rest, which is near 1.
template <std::size_t kBytes>
[[gnu::always_inline]] inline auto logarithm(typename Register<kBytes>::Lanes x) {
    using Lanes = typename Register<kBytes>::Lanes;
    using Bits = typename Register<kBytes>::Bits;
    const Bits bits = (Bits)x;
    const Bits part = (bits & kFraction) | kHalf;
    const Lanes fraction = (Lanes)part;
    const Bits is_small = fraction < kRootOfHalf;  // -1 or 0
    const Lanes n = __builtin_convertvector((bits >> 23) - 126 + is_small, Lanes);
    const Lanes rest = (is_small ? fraction + fraction : fraction) - 1.0F;
    const Lanes square = rest * rest;
    const Lanes series = polynomial<kBytes>(kLogarithm, rest) * rest * square;
    const Lanes sum = rest + ((series + n * kLn2Rest) - square * 0.5F) + n * kLn2;
    return x == x ? sum : x;
}

template <std::size_t kBytes>
[[gnu::always_inline]] inline void add_all(const Messages& m, Line* sums) {
    using Lanes = typename Register<kBytes>::Lanes;
    const std::size_t parts = m.lines * (sizeof(Line) / kBytes);
    for (std::size_t i = 0; i < m.count; ++i) {
        const Lanes* const row = reinterpret_cast<const Lanes*>(m.rows + i * m.lines);
        Lanes* const sum = reinterpret_cast<Lanes*>(sums + m.targets[i] * m.lines);
        const float greatest = m.greatest[m.groups[i]];
        for (std::size_t p = 0; p < parts; ++p)
            sum[p] += exponential<kBytes>((row[p] - greatest) * kSmoothness);
    }
}

template <std::size_t kBytes>
[[gnu::always_inline]] inline void finish_all(Line* sums, std::size_t lines, float greatest) {
    using Lanes = typename Register<kBytes>::Lanes;
    Lanes* const sum = reinterpret_cast<Lanes*>(sums);
    for (std::size_t p = 0; p < lines * (sizeof(Line) / kBytes); ++p)
        sum[p] = logarithm<kBytes>(sum[p]) * (1 / kSmoothness) + greatest;
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] void add_avx2(const Messages& m, Line* sums) { add_all<32>(m, sums); }
[[gnu::target("avx2")]] void finish_avx2(Line* sums, std::size_t lines, float greatest) {
    finish_all<32>(sums, lines, greatest);
}
const bool kHasAvx2 = __builtin_cpu_supports("avx2") != 0;
#endif

}  // namespace

void add_exponentials(const Messages& messages, Line* sums, bool baseline) {
#if defined(__x86_64__)
    if (kHasAvx2 && !baseline) return add_avx2(messages, sums);
#endif
    (void)baseline;
    add_all<16>(messages, sums);
}

void to_maximum(Line* sums, std::size_t lines, float greatest, bool baseline) {
#if defined(__x86_64__)
    if (kHasAvx2 && !baseline) return finish_avx2(sums, lines, greatest);
#endif
    (void)baseline;
    finish_all<16>(sums, lines, greatest);
}

void raise(const Line* row, std::size_t lines, Line& most) {
    using Lanes = Register<16>::Lanes;
    constexpr std::size_t kParts = sizeof(Line) / sizeof(Lanes);
    Lanes* const greatest = reinterpret_cast<Lanes*>(&most);
    for (std::size_t line = 0; line < lines; ++line) {
        const Lanes* const numbers = reinterpret_cast<const Lanes*>(row + line);
        for (std::size_t p = 0; p < kParts; ++p)
            greatest[p] = numbers[p] > greatest[p] ? numbers[p] : greatest[p];
    }
}

}  // namespace bugsieve
