#include "networks/activations.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <stdexcept>

namespace bugsieve {

namespace {

constexpr float kLeak = 0.01F;
constexpr double kSaturated = 200;  // beyond, tanh and sigmoid are at their limits in floats
constexpr double kTiny = 0x1p-10;   // below, exp(x) - 1 has lost too many digits

// ln 2 in two parts: products of the first with small whole numbers are exact.
constexpr double kLn2 = 6.93147180369123816490e-01, kLn2Rest = 1.90821492927058770002e-10;
constexpr double kPerLn2 = 1.44269504088896338700;

double bounded(double x) {
    return x < -kSaturated ? -kSaturated : (x > kSaturated ? kSaturated : x);
}

// 1 / k! for k = 11, 10, ..., 0.
constexpr double kSeries[] = {
    1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040, 1.0 / 720,
    1.0 / 120,      1.0 / 24,      1.0 / 6,      1.0 / 2,     1,          1};

// e^x for |x| <= 2 kSaturated: 2^n times the series of the rest, which is at most ln 2 / 2.
double exponential(double x) {
    const double n = std::floor(x * kPerLn2 + 0.5);
    const double rest = (x - n * kLn2) - n * kLn2Rest;
    double sum = 0;
    for (const double factor : kSeries) sum = sum * rest + factor;
    const std::int64_t exponent = 1023 + static_cast<std::int64_t>(n);
    return sum * std::bit_cast<double>(exponent << 52);
}

double elu(double x) {
    if (x >= 0) return x;
    if (x > -kTiny) return x * (1 + x / 2 * (1 + x / 3 * (1 + x / 4)));
    return exponential(bounded(x)) - 1;
}

double sigmoid(double x) { return 1 / (1 + exponential(-bounded(x))); }

double tanh(double x) {
    const double size = std::fabs(bounded(x));
    if (size < kTiny) return x * (1 - x * x / 3);
    const double small = exponential(-2 * size);
    return std::copysign((1 - small) / (1 + small), x);
}

template <class Function>
void for_each(Function function, float* values, std::size_t count) {
    for (std::size_t k = 0; k < count; ++k)
        if (!std::isnan(values[k]))
            values[k] = static_cast<float>(function(static_cast<double>(values[k])));
}

}  // namespace

Activation activation_named(const std::string& name) {
    if (name == "relu") return Activation::kRelu;
    if (name == "leaky-relu") return Activation::kLeakyRelu;
    if (name == "elu") return Activation::kElu;
    if (name == "sigmoid") return Activation::kSigmoid;
    if (name == "tanh") return Activation::kTanh;
    throw std::invalid_argument("there is no activation '" + name + "'");
}

void apply(Activation activation, float* values, std::size_t count) {
    switch (activation) {
        case Activation::kRelu:
            for (std::size_t k = 0; k < count; ++k) values[k] = values[k] < 0 ? 0 : values[k];
            break;
        case Activation::kLeakyRelu:
            for (std::size_t k = 0; k < count; ++k)
                values[k] = values[k] < 0 ? kLeak * values[k] : values[k];
            break;
        case Activation::kElu:
            for_each(elu, values, count);
            break;
        case Activation::kSigmoid:
            for_each(sigmoid, values, count);
            break;
        case Activation::kTanh:
            for_each(tanh, values, count);
            break;
    }
}

}  // namespace bugsieve
