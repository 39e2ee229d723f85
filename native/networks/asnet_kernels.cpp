#include "networks/asnet_kernels.h"

#include <bit>

namespace bugsieve {

namespace {

constexpr float kPerLn2 = 1.44269504F;
// ln 2 in two parts: products of the first with small whole numbers are exact.
constexpr float kLn2 = 0.693359375F, kLn2Rest = -2.12194440e-4F;
constexpr float kSaturated = -18;     // below, e^x - 1 is -1 in floats
constexpr float kRounder = 12582912;  // 1.5 * 2^23: adding it leaves a whole number
constexpr unsigned kExponentBias = 127, kMantissaBits = 23;
// 1 / k! for k = 7, 6, ..., 2.
constexpr float kSeries[] = {1.0F / 5040, 1.0F / 720, 1.0F / 120, 1.0F / 24, 1.0F / 6, 0.5F};

// x, or e^x - 1 below 0, within a few units of the last place: with x = n ln 2 + r, that is
// 2^n (e^r - 1) + (2^n - 1). What is not a number stays so.
template <std::size_t kBytes>
[[gnu::always_inline]] inline typename Register<kBytes>::Lanes elu(
    typename Register<kBytes>::Lanes x) {
    using Lanes = typename Register<kBytes>::Lanes;
    using Numbers = typename Register<kBytes>::Numbers;
    const Lanes zero{}, one = zero + 1.0F, least = zero + kSaturated;
    const Lanes negative = x > zero ? zero : x;
    const Lanes bounded = negative < least ? least : negative;
    const Lanes shifted = bounded * kPerLn2 + kRounder;
    const Lanes n = shifted - kRounder;
    const Lanes r = (bounded - n * kLn2) - n * kLn2Rest;
    Lanes sum = zero + kSeries[0];
    for (std::size_t k = 1; k < 6; ++k) sum = sum * r + kSeries[k];
    sum = sum * (r * r) + r;
    const Numbers whole = std::bit_cast<Numbers>(shifted) - std::bit_cast<unsigned>(kRounder);
    const Numbers bits = (whole + kExponentBias) << kMantissaBits;
    const Lanes power = std::bit_cast<Lanes>(bits);
    return x > zero ? x : power * sum + (power - one);
}

template <std::size_t kBytes>
struct Loops {
    using Lanes = typename Register<kBytes>::Lanes;
    static constexpr std::size_t kParts = sizeof(Line) / kBytes;

    [[gnu::always_inline]] static const Lanes* lanes(const Line* line) {
        return reinterpret_cast<const Lanes*>(line);
    }
    [[gnu::always_inline]] static Lanes* lanes(Line* line) {
        return reinterpret_cast<Lanes*>(line);
    }

    [[gnu::always_inline]] static void elu_all(Line* values, std::size_t count) {
        Lanes* const all = lanes(values);
        for (std::size_t k = 0; k < count * kParts; ++k) all[k] = elu<kBytes>(all[k]);
    }

    [[gnu::always_inline]] static void first(const FirstActions& t) {
        for (std::size_t a = 0; a < t.actions; ++a)
            for (std::size_t line = 0; line < t.lines; ++line) {
                Lanes sums[kParts];
                const Lanes* const constants = lanes(t.constants + a * t.lines + line);
                for (std::size_t p = 0; p < kParts; ++p) sums[p] = constants[p];
                for (std::size_t m = 0; m <= t.positions; ++m) {
                    const float value = m < t.positions ? t.truth[t.related[a * t.positions + m]]
                                                        : static_cast<float>(t.applicable[a]);
                    const Lanes* const weight = lanes(t.weights + m * t.lines + line);
                    for (std::size_t p = 0; p < kParts; ++p) sums[p] += weight[p] * value;
                }
                Lanes* const out = lanes(t.out + a * t.lines + line);
                for (std::size_t p = 0; p < kParts; ++p) out[p] = elu<kBytes>(sums[p]);
            }
    }

    [[gnu::always_inline]] static const Lanes* vector(const Pool& t, std::int32_t member,
                                                      std::size_t line) {
        return lanes(t.actions + static_cast<std::size_t>(t.members[member]) * t.lines + line);
    }
    [[gnu::always_inline]] static void pool(const Pool& t) {
        for (std::size_t f = 0; f < t.facts; ++f)
            for (std::size_t line = 0; line < t.lines; ++line) {
                const std::int32_t begin = t.offsets[f], end = t.offsets[f + 1];
                Lanes most[kParts];
                for (std::size_t p = 0; p < kParts; ++p)
                    most[p] = begin < end ? vector(t, begin, line)[p] : Lanes{} - 1.0F;
                for (std::int32_t k = begin + 1; k < end; ++k)
                    for (std::size_t p = 0; p < kParts; ++p) {
                        const Lanes next = vector(t, k, line)[p];
                        most[p] = next > most[p] ? next : most[p];
                    }
                Lanes* const out = lanes(t.out + f * t.out_stride + line);
                for (std::size_t p = 0; p < kParts; ++p) out[p] = most[p];
            }
    }

    [[gnu::always_inline]] static void join(const JoinActions& t) {
        for (std::size_t a = 0; a < t.actions; ++a)
            for (std::size_t line = 0; line < t.lines; ++line) {
                Lanes sums[kParts];
                for (std::size_t p = 0; p < kParts; ++p) sums[p] = lanes(t.biases + line)[p];
                for (std::size_t m = 0; m < t.positions; ++m) {
                    const auto place = static_cast<std::size_t>(t.places[a * t.positions + m]);
                    const Lanes* const share = lanes(t.shares + place * t.lines + line);
                    for (std::size_t p = 0; p < kParts; ++p) sums[p] += share[p];
                }
                Lanes* const out = lanes(t.out + a * t.lines + line);
                for (std::size_t p = 0; p < kParts; ++p) out[p] = elu<kBytes>(sums[p] + out[p]);
            }
    }

    [[gnu::always_inline]] static void score(const ScoreActions& t) {
        for (std::size_t a = 0; a < t.actions; ++a) {
            Lanes products[kParts]{};
            for (std::size_t line = 0; line < t.lines; ++line)
                for (std::size_t p = 0; p < kParts; ++p) {
                    const Lanes product =
                        lanes(t.own + a * t.lines + line)[p] * lanes(t.weights + line)[p];
                    products[p] = line == 0 ? product : products[p] + product;
                }
            alignas(64) float halves[kStripe / 2];
            for (std::size_t p = 0; p < kParts / 2; ++p)
                reinterpret_cast<Lanes*>(halves)[p] = products[p] + products[p + kParts / 2];
            float sum = t.bias;
            for (std::size_t m = 0; m < t.positions; ++m)
                sum += t.shares[t.places[a * t.positions + m]];
            for (std::size_t step = kStripe / 4; step > 0; step /= 2)
                for (std::size_t k = 0; k < step; ++k) halves[k] += halves[k + step];
            t.out[a] = sum + halves[0];
        }
    }
};

void dense_baseline(const DenseLayer& t) { run_dense<16, 2>(t); }
void elu_baseline(Line* values, std::size_t count) { Loops<16>::elu_all(values, count); }
void first_baseline(const FirstActions& t) { Loops<16>::first(t); }
void pool_baseline(const Pool& t) { Loops<16>::pool(t); }
void join_baseline(const JoinActions& t) { Loops<16>::join(t); }
void score_baseline(const ScoreActions& t) { Loops<16>::score(t); }

const AsnetKernels kBaseline{dense_baseline, elu_baseline,  first_baseline,
                             pool_baseline,  join_baseline, score_baseline};

#if defined(__x86_64__)
[[gnu::target("avx2")]] void dense_avx2(const DenseLayer& t) { run_dense<32, 4>(t); }
[[gnu::target("avx2")]] void elu_avx2(Line* values, std::size_t n) {
    Loops<32>::elu_all(values, n);
}
[[gnu::target("avx2")]] void first_avx2(const FirstActions& t) { Loops<32>::first(t); }
[[gnu::target("avx2")]] void pool_avx2(const Pool& t) { Loops<32>::pool(t); }
[[gnu::target("avx2")]] void join_avx2(const JoinActions& t) { Loops<32>::join(t); }
[[gnu::target("avx2")]] void score_avx2(const ScoreActions& t) { Loops<32>::score(t); }

const AsnetKernels kAvx2{dense_avx2, elu_avx2, first_avx2, pool_avx2, join_avx2, score_avx2};
const bool kHasAvx2 = __builtin_cpu_supports("avx2") != 0;
#endif

}  // namespace

const AsnetKernels& baseline_kernels() { return kBaseline; }

const AsnetKernels& best_kernels() {
#if defined(__x86_64__)
    if (kHasAvx2) return kAvx2;
#endif
    return kBaseline;
}

}  // namespace bugsieve
