#include "networks/network_policy.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

namespace bugsieve {

void NetworkReading::check() const {
    if (inputs.size() != network->inputs() || actions.size() != network->outputs())
        throw std::invalid_argument("one variable per input and one action per output is needed");
    if (!scales.empty() && scales.size() != inputs.size())
        throw std::invalid_argument("one scale per input is needed");
    for (const std::uint32_t variable : inputs)
        if (variable >= model->num_state_variables())
            throw std::invalid_argument("an input reads no variable of the states");
    std::vector<bool> is_taken(static_cast<std::size_t>(model->num_actions));
    for (const std::int32_t action : actions) {
        if (action < 0 || action >= model->num_actions)
            throw std::invalid_argument("an output stands for no action of the model");
        if (is_taken[static_cast<std::size_t>(action)])
            throw std::invalid_argument("two outputs stand for one action");
        is_taken[static_cast<std::size_t>(action)] = true;
    }
}

NetworkPolicy::NetworkPolicy(std::shared_ptr<const NetworkReading> reading)
    : reading_(std::move(reading)),
      evaluator_(reading_->network),
      values_(reading_->model->variables.size()),
      output_of_(static_cast<std::size_t>(reading_->model->num_actions), -1),
      all_(reading_->actions) {
    if (reading_->filter) system_.emplace(reading_->model);
    for (std::size_t k = 0; k < all_.size(); ++k)
        output_of_[static_cast<std::size_t>(all_[k])] = static_cast<std::int32_t>(k);
    std::sort(all_.begin(), all_.end());
}

void NetworkPolicy::actions(const std::uint64_t* states, std::size_t count, std::int32_t* out) {
    const std::size_t words = reading_->model->packing.words();
    for (std::size_t begin = 0; begin < count; begin += evaluator_.capacity()) {
        const std::size_t rows = std::min(evaluator_.capacity(), count - begin);
        const std::uint64_t* const block = states + begin * words;
        for (std::size_t r = 0; r < rows; ++r) read(block + r * words, evaluator_.input(r));
        evaluator_.run(rows);
        for (std::size_t r = 0; r < rows; ++r)
            out[begin + r] = decide(block + r * words, evaluator_.scores(r));
    }
}

void NetworkPolicy::read(const std::uint64_t* state, float* inputs) {
    const jani::CompiledModel& model = *reading_->model;
    model.packing.unpack(state, values_.data());
    for (std::size_t k = 0; k < reading_->inputs.size(); ++k) {
        const std::uint32_t variable = reading_->inputs[k];
        double value = model.variables[variable].is_real
                           ? values_[variable].real
                           : static_cast<double>(values_[variable].integer);
        if (!reading_->scales.empty()) {
            const NetworkReading::Scale& scale = reading_->scales[k];
            value = (std::clamp(value, scale.lower, scale.upper) - scale.mean) / scale.range;
        }
        inputs[k] = static_cast<float>(value);
    }
}

std::int32_t NetworkPolicy::decide(const std::uint64_t* state, const float* scores) {
    if (system_) system_->applicable(state, applicable_);
    const std::vector<std::int32_t>& candidates = system_ ? applicable_ : all_;
    constexpr double kWorst = -std::numeric_limits<double>::infinity();
    const auto score = [&](std::int32_t action) {
        const float found = scores[output_of_[static_cast<std::size_t>(action)]];
        return std::isnan(found) ? kWorst : static_cast<double>(found);
    };
    const auto competes = [&](std::int32_t action) {
        return output_of_[static_cast<std::size_t>(action)] >= 0;
    };
    double best = kWorst;
    for (const std::int32_t action : candidates)
        if (competes(action)) best = std::max(best, score(action));
    for (const std::int32_t action : candidates)
        if (competes(action) && score(action) >= best - reading_->epsilon) return action;
    return -1;
}

}  // namespace bugsieve
