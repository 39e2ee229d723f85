#include "jani/packing.h"

#include <bit>

namespace bugsieve::jani {

namespace {

constexpr unsigned kWordBits = 64;

unsigned bits_of(const Variable& variable) {
    if (variable.is_real) return kWordBits;
    return static_cast<unsigned>(std::bit_width(variable.upper - variable.lower));
}

}  // namespace

Packing::Packing(std::span<const Variable> variables) : fields_(variables.size()) {
    std::vector<unsigned> used;  // bits per word
    for (std::uint32_t v = 0; v < variables.size(); ++v) {
        if (!variables[v].is_in_state) continue;
        order_.push_back(v);
        const unsigned bits = bits_of(variables[v]);
        std::uint32_t word = used.empty() ? 0 : static_cast<std::uint32_t>(used.size() - 1);
        if (used.empty() || used[word] + bits > kWordBits) {
            word = static_cast<std::uint32_t>(used.size());
            used.push_back(0);
        }
        const bool whole = bits == kWordBits;
        fields_[v] = {word, bits == 0 ? 0 : used[word],
                      whole ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1,
                      whole ? 0 : variables[v].lower};
        used[word] += bits;
    }
    words_ = used.empty() ? 1 : used.size();
}

}  // namespace bugsieve::jani
