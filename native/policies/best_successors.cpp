#include "policies/best_successors.h"

#include <algorithm>
#include <limits>

namespace bugsieve {

namespace {

constexpr std::size_t kSuccessorsAtOnce = 4096;
// Above any cost plus value, so that "improving" is decided before their sum.
constexpr std::int64_t kNotImproving = std::int64_t{1} << 40;
constexpr std::int64_t kLastChoice = std::numeric_limits<std::int64_t>::max();

}  // namespace

BestSuccessors::BestSuccessors(const SearchTask& task, std::unique_ptr<Evaluator> heuristic,
                               Order order, std::size_t max_bytes)
    : task_(task),
      heuristic_(std::move(heuristic)),
      order_(order),
      values_(task.packing(), max_bytes),
      parent_(task.packing().words()) {}

void BestSuccessors::choose(std::span<const Value> states, std::span<std::int32_t> chosen,
                            Interrupts& interrupts) {
    const std::size_t width = task_.fdr().num_variables();
    for (std::size_t row = 0; row < chosen.size();) {
        start_batch();
        const std::size_t first = row;
        do {
            interrupts.check();
            collect(states.subspan(row * width, width));
            ++row;
        } while (row < chosen.size() && operators_.size() < kSuccessorsAtOnce);
        evaluate(interrupts);
        for (std::size_t i = first; i < row; ++i) chosen[i] = pick(i - first);
    }
}

// Also drops what an interrupted call has left behind.
void BestSuccessors::start_batch() {
    values_.start_batch();
    own_.clear();
    operators_.clear();
    successors_.clear();
    ends_.clear();
    new_rows_.clear();
}

std::uint32_t BestSuccessors::note(const Word* packed) {
    const auto [place, is_waiting] = values_.note(packed);
    if (is_waiting) {
        const std::size_t width = task_.fdr().num_variables();
        new_rows_.resize(new_rows_.size() + width);
        task_.packing().unpack(packed, std::span(new_rows_).last(width));
    }
    return place;
}

void BestSuccessors::collect(StateView state) {
    task_.packing().pack(state, parent_.data());
    if (order_ == Order::kImproving) own_.push_back(note(parent_.data()));
    const std::size_t first = operators_.size();
    task_.generator().append_applicable(state, operators_);
    ends_.push_back(operators_.size());
    const std::size_t words = parent_.size();
    children_.resize((operators_.size() - first) * words);
    // All successors before the first is looked up: memory is slow, and fetches them meanwhile.
    Word* child = children_.data();
    for (std::size_t i = first; i < operators_.size(); ++i, child += words) {
        std::copy_n(parent_.data(), words, child);
        task_.fdr().for_each_assignment(state, static_cast<std::size_t>(operators_[i]),
                                        [&](std::int32_t variable, std::int32_t value) {
                                            task_.packing().set(
                                                child, static_cast<std::size_t>(variable), value);
                                        });
        values_.prefetch(child);
    }
    for (const Word* next = children_.data(); next != child; next += words)
        successors_.push_back(note(next));
}

void BestSuccessors::evaluate(Interrupts& interrupts) {
    std::vector<std::int32_t> found(values_.num_waiting());
    heuristic_->evaluate(new_rows_, found, interrupts);
    values_.supply(found);
}

std::int32_t BestSuccessors::pick(std::size_t state) const {
    const std::int32_t own = order_ == Order::kImproving ? values_.value(own_[state]) : 0;
    std::int32_t best = kNoOperator;
    std::int64_t lowest = kLastChoice;
    for (std::size_t i = state == 0 ? 0 : ends_[state - 1]; i < ends_[state]; ++i) {
        const std::int64_t found = rank(operators_[i], values_.value(successors_[i]), own);
        if (best != kNoOperator && found >= lowest) continue;
        best = operators_[i];
        lowest = found;
    }
    return best;
}

std::int64_t BestSuccessors::rank(std::int32_t op, std::int32_t value, std::int32_t own) const {
    if (value == kDeadEnd) return kLastChoice;
    if (order_ == Order::kNearest) return value;
    const std::int64_t sum = std::int64_t{task_.fdr().costs[static_cast<std::size_t>(op)]} + value;
    return value < own ? sum : sum + kNotImproving;
}

}  // namespace bugsieve
