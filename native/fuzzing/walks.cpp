#include "fuzzing/walks.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>

namespace bugsieve {

Walks::Walks(const SearchTask& task, Draws draws, std::uint64_t first_draw,
             std::vector<Value> starts, std::vector<std::int64_t> lengths)
    : task_(task),
      draws_(std::move(draws)),
      first_draw_(first_draw),
      lengths_(std::move(lengths)),
      states_(std::move(starts)),
      width_(task.fdr().num_variables()),
      actions_(lengths_.size()) {
    for (std::size_t walk = 0; walk < lengths_.size(); ++walk)
        if (lengths_[walk] > 0) walking_.push_back(walk);
}

// Those that have made the last step and want to make another.
void Walks::start_step() {
    std::erase_if(walking_, [&](std::size_t walk) {
        return actions_[walk].size() <= step_ ||
               static_cast<std::size_t>(lengths_[walk]) <= step_ + 1;
    });
    ++step_;
    turn_ = 0;
}

Successors Walks::expand(Evaluator* heuristic, std::size_t max_rows, Interrupts& interrupts) {
    if (!walking_.empty() && turn_ == walking_.size()) start_step();
    std::vector<Value> rows;
    const std::size_t most = std::max<std::size_t>(max_rows, 1);  // a walk may have no successor
    for (std::size_t i = turn_; i < walking_.size() && i - turn_ < most; ++i) {
        const auto here = state(walking_[i]);
        rows.insert(rows.end(), here.begin(), here.end());
    }
    listed_ = live_successors(task_, rows, heuristic, max_rows, interrupts);
    return listed_;
}

void Walks::move(std::span<const std::int64_t> weights, std::span<const std::uint8_t> offered) {
    if (weights.size() != listed() || (!offered.empty() && offered.size() != listed()))
        throw std::invalid_argument(std::to_string(weights.size()) + " weights for " +
                                    std::to_string(listed()) + " successors");
    for (std::size_t i = 0; i + 1 < listed_.offsets.size(); ++i) {
        const std::size_t walk = walking_[turn_ + i];
        const auto first = static_cast<std::size_t>(listed_.offsets[i]);
        const auto count = static_cast<std::size_t>(listed_.offsets[i + 1]) - first;
        const std::int64_t chosen =
            draws_.choose(walk, first_draw_ + step_, weights.subspan(first, count));
        if (chosen >= 0) {
            const std::size_t row = first + static_cast<std::size_t>(chosen);
            actions_[walk].push_back(listed_.operators[row]);
            std::copy_n(&listed_.states[row * width_], width_, state(walk).begin());
        }
        for (std::size_t row = first; !offered.empty() && row < first + count; ++row) {
            if (!offered[row]) continue;
            offers_.walks.push_back(static_cast<std::int64_t>(walk));
            offers_.steps.push_back(static_cast<std::int64_t>(step_) + 1);
            offers_.operators.push_back(listed_.operators[row]);
            offers_.states.insert(offers_.states.end(), &listed_.states[row * width_],
                                  &listed_.states[row * width_] + width_);
        }
    }
    turn_ += listed_.offsets.size() - 1;
    listed_ = Successors();
}

Offers Walks::offers() const {
    std::vector<std::size_t> order(offers_.walks.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return offers_.walks[a] < offers_.walks[b];
    });
    Offers all;
    const auto add = [&](std::size_t walk, std::size_t steps, std::int32_t op,
                         const Value* offered) {
        all.walks.push_back(static_cast<std::int64_t>(walk));
        all.steps.push_back(static_cast<std::int64_t>(steps));
        all.operators.push_back(op);
        all.states.insert(all.states.end(), offered, offered + width_);
    };
    auto next = order.begin();
    for (std::size_t walk = 0; walk < size(); ++walk) {
        for (; next != order.end() && offers_.walks[*next] == static_cast<std::int64_t>(walk);
             ++next)
            add(walk, static_cast<std::size_t>(offers_.steps[*next]), offers_.operators[*next],
                &offers_.states[*next * width_]);
        if (!actions_[walk].empty())
            add(walk, actions_[walk].size(), actions_[walk].back(), &states_[walk * width_]);
    }
    return all;
}

}  // namespace bugsieve
