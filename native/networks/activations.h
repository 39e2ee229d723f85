// The functions on a layer's sums before the next layer reads them.
#pragma once

#include <cstddef>
#include <string>

namespace bugsieve {

enum class Activation { kRelu, kLeakyRelu, kElu, kSigmoid, kTanh };

// Throws std::invalid_argument for names of no activation.
Activation activation_named(const std::string& name);

// Applies it to each number. Only additions, multiplications and divisions are used, which give
// the same bits on every machine, as the functions of C libraries do not. The results are within
// one unit of the last place of a float. What is not a number stays so.
void apply(Activation activation, float* values, std::size_t count);

}  // namespace bugsieve
