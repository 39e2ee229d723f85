// The places of the variables of a state in its words: bounded integers share words, reals and
// wide integers have one each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "jani/description.h"
#include "jani/machine.h"

namespace bugsieve::jani {

class Packing {
  public:
    struct Field {
        std::uint32_t word;
        std::uint32_t shift;
        std::uint64_t mask;
        std::uint64_t lower;  // subtracted before the bits are stored
    };

    explicit Packing(std::span<const Variable> variables);

    std::size_t words() const { return words_; }

    // Variables outside the state are left alone.
    void unpack(const std::uint64_t* state, Word* values) const {
        for (std::size_t k = 0; k < order_.size(); ++k)
            values[order_[k]].bits = get(state, fields_[order_[k]]);
    }
    void pack(const Word* values, std::uint64_t* state) const {
        for (std::size_t w = 0; w < words_; ++w) state[w] = 0;
        for (const std::uint32_t v : order_) set(state, v, values[v]);
    }
    void set(std::uint64_t* state, std::uint32_t variable, Word value) const {
        const Field& field = fields_[variable];
        std::uint64_t& word = state[field.word];
        word = (word & ~(field.mask << field.shift)) | ((value.bits - field.lower) << field.shift);
    }

  private:
    static std::uint64_t get(const std::uint64_t* state, const Field& field) {
        return ((state[field.word] >> field.shift) & field.mask) + field.lower;
    }

    std::vector<Field> fields_;         // one per variable
    std::vector<std::uint32_t> order_;  // the variables of the state
    std::size_t words_ = 0;
};

}  // namespace bugsieve::jani
