// Operators that can fail. Each stores its result and answers kTrue, or says what went wrong.
#pragma once

#include <cmath>
#include <cstdint>

#include "jani/machine.h"

namespace bugsieve::jani {

inline Ending add(std::int64_t a, std::int64_t b, std::int64_t& result) {
    return __builtin_add_overflow(a, b, &result) ? Ending::kOverflow : Ending::kTrue;
}

inline Ending subtract(std::int64_t a, std::int64_t b, std::int64_t& result) {
    return __builtin_sub_overflow(a, b, &result) ? Ending::kOverflow : Ending::kTrue;
}

inline Ending multiply(std::int64_t a, std::int64_t b, std::int64_t& result) {
    return __builtin_mul_overflow(a, b, &result) ? Ending::kOverflow : Ending::kTrue;
}

inline Ending absolute(std::int64_t a, std::int64_t& result) {
    return a < 0 ? subtract(0, a, result) : (result = a, Ending::kTrue);
}

inline Ending modulo(std::int64_t a, std::int64_t b, std::int64_t& result) {
    if (b == 0) return Ending::kDivisionByZero;
    result = b == -1 ? 0 : a % b;  // the least integer has no quotient by -1
    if (result != 0 && (result < 0) != (b < 0)) result += b;
    return Ending::kTrue;
}

inline Ending power(std::int64_t base, std::int64_t exponent, std::int64_t& result) {
    if (exponent < 0) return Ending::kNegativeExponent;
    std::int64_t product = 1;
    while (exponent > 0) {
        if (exponent % 2 == 1 && multiply(product, base, product) != Ending::kTrue)
            return Ending::kOverflow;
        exponent /= 2;
        if (exponent > 0 && multiply(base, base, base) != Ending::kTrue) return Ending::kOverflow;
    }
    result = product;
    return Ending::kTrue;
}

inline Ending divide(double a, double b, double& result) {
    if (b == 0) return Ending::kDivisionByZero;
    result = a / b;
    return Ending::kTrue;
}

inline Ending finite(double value, double& result) {
    result = value;
    return std::isfinite(value) ? Ending::kTrue : Ending::kUndefined;
}

inline Ending logarithm(double a, double base, double& result) {
    if (!(a > 0) || !(base > 0) || base == 1) return Ending::kUndefined;
    return finite(std::log(a) / std::log(base), result);
}

// Of a real that has no fraction.
inline Ending to_integer(double whole, std::int64_t& result) {
    constexpr double kLimit = 9223372036854775808.0;
    if (!(whole >= -kLimit && whole < kLimit)) return Ending::kOverflow;
    result = static_cast<std::int64_t>(whole);
    return Ending::kTrue;
}

}  // namespace bugsieve::jani
