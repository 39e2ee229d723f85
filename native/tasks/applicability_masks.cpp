#include "tasks/applicability_masks.h"

#include <algorithm>
#include <bit>

namespace bugsieve {

namespace {

constexpr std::size_t kOperatorsPerBlock = 512;

std::size_t blocks_for(const FdrTask& task) {
    return (task.num_operators() + kOperatorsPerBlock - 1) / kOperatorsPerBlock;
}

// The number of operators that test each variable.
std::vector<std::size_t> tests(const FdrTask& task) {
    std::vector<std::size_t> count(task.num_variables(), 0);
    for (const Fact& fact : task.preconditions.items)
        ++count[static_cast<std::size_t>(fact.variable)];
    return count;
}

}  // namespace

ApplicabilityMasks::Size ApplicabilityMasks::size_for(const FdrTask& task) {
    const auto count = tests(task);
    std::size_t variables = 0, rows = 1;
    for (std::size_t v = 0; v < task.num_variables(); ++v) {
        if (count[v] == 0) continue;
        ++variables;
        rows += static_cast<std::size_t>(task.domain_size(v));
    }
    return {variables * blocks_for(task), rows * blocks_for(task) * sizeof(Block)};
}

ApplicabilityMasks::ApplicabilityMasks(const FdrTask& task) : blocks_per_row_(blocks_for(task)) {
    const auto count = tests(task);
    std::size_t rows = 1;
    for (std::size_t v = 0; v < task.num_variables(); ++v) {
        if (count[v] == 0) continue;
        tested_.push_back({v, rows});
        rows += static_cast<std::size_t>(task.domain_size(v));
    }
    blocks_.resize(rows * blocks_per_row_);
    const auto word = [&](std::size_t row, std::size_t op) -> std::uint64_t& {
        Block& block = blocks_[row * blocks_per_row_ + op / kOperatorsPerBlock];
        return block.words[op / 64 % kWords];
    };
    const auto bit = [](std::size_t op) { return std::uint64_t{1} << (op % 64); };
    for (std::size_t op = 0; op < task.num_operators(); ++op) word(0, op) |= bit(op);
    std::vector<std::size_t> first_row(task.num_variables(), 0);
    for (const Tested& tested : tested_) {
        first_row[tested.variable] = tested.first_row;
        const auto size = static_cast<std::size_t>(task.domain_size(tested.variable));
        for (std::size_t value = 0; value < size; ++value)
            std::copy_n(blocks_.begin(), blocks_per_row_,
                        blocks_.begin() + static_cast<std::ptrdiff_t>((tested.first_row + value) *
                                                                      blocks_per_row_));
    }
    for (std::size_t op = 0; op < task.num_operators(); ++op) {
        for (const Fact& fact : task.preconditions[op]) {
            const auto v = static_cast<std::size_t>(fact.variable);
            for (std::int32_t value = 0; value < task.domain_size(v); ++value)
                if (value != fact.value)
                    word(first_row[v] + static_cast<std::size_t>(value), op) &= ~bit(op);
        }
    }
    std::stable_sort(tested_.begin(), tested_.end(), [&](const Tested& a, const Tested& b) {
        return count[a.variable] > count[b.variable];
    });
}

void ApplicabilityMasks::append_applicable(StateView state,
                                           std::vector<std::int32_t>& operators) const {
    for (std::size_t b = 0; b < blocks_per_row_; ++b) {
        Block left = blocks_[b];
        for (const Tested& tested : tested_) {
            const Block& mask =
                blocks_[(tested.first_row + state[tested.variable]) * blocks_per_row_ + b];
            std::uint64_t any = 0;
            for (std::size_t w = 0; w < kWords; ++w) {
                left.words[w] &= mask.words[w];
                any |= left.words[w];
            }
            if (any == 0) break;
        }
        for (std::size_t w = 0; w < kWords; ++w)
            for (std::uint64_t bits = left.words[w]; bits != 0; bits &= bits - 1)
                operators.push_back(
                    static_cast<std::int32_t>(b * kOperatorsPerBlock + 64 * w +
                                              static_cast<std::size_t>(std::countr_zero(bits))));
    }
}

}  // namespace bugsieve
