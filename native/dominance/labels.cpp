#include "dominance/labels.h"

#include <algorithm>
#include <map>
#include <string>

namespace bugsieve {

namespace {

constexpr std::int32_t kOther = -1;

// A variable that conditions name, with the values they ask for; kOther stands for all others.
struct Question {
    std::int32_t variable;
    std::vector<std::int32_t> answers;
};

std::vector<Question> questions_of(const FdrTask& task, std::size_t op) {
    std::map<std::int32_t, std::vector<std::int32_t>> named;
    for (const Effect& effect : task.effects[op])
        for (const Fact& fact : task.conditions[static_cast<std::size_t>(effect.conditions)])
            named[fact.variable].push_back(fact.value);
    for (const Fact& fact : task.preconditions[op]) named.erase(fact.variable);
    std::vector<Question> questions;
    for (auto& [variable, values] : named) {
        std::sort(values.begin(), values.end());
        values.erase(std::unique(values.begin(), values.end()), values.end());
        const auto all =
            static_cast<std::size_t>(task.domain_sizes[static_cast<std::size_t>(variable)]);
        if (values.size() < all) values.push_back(kOther);
        questions.push_back({variable, values});
    }
    return questions;
}

std::size_t outcomes_of(const std::vector<Question>& questions) {
    std::size_t outcomes = 1;
    for (const Question& question : questions) {
        outcomes *= question.answers.size();
        if (outcomes > kMaxOutcomes) break;
    }
    return outcomes;
}

Touch& touch(std::map<std::int32_t, Touch>& touches, std::int32_t variable) {
    return touches.try_emplace(variable, Touch{variable, -1, {}, -1}).first->second;
}

// Returns true if the condition holds given what the label requires. Every variable it names has
// either a required value or all named values excluded.
bool fires(const std::map<std::int32_t, Touch>& touches, std::span<const Fact> condition) {
    return std::ranges::all_of(condition, [&](const Fact& fact) {
        return touches.at(fact.variable).required == fact.value;
    });
}

Label outcome(const FdrTask& task, std::size_t op, const std::vector<Question>& questions,
              std::size_t number) {
    std::map<std::int32_t, Touch> touches;
    for (const Fact& fact : task.preconditions[op])
        touch(touches, fact.variable).required = fact.value;
    for (const Question& question : questions) {
        const std::int32_t answer = question.answers[number % question.answers.size()];
        number /= question.answers.size();
        Touch& touched = touch(touches, question.variable);
        if (answer != kOther) touched.required = answer;
        if (answer == kOther)
            touched.excluded.assign(question.answers.begin(), question.answers.end() - 1);
    }
    const auto requirements = touches;
    for (const Effect& effect : task.effects[op])
        if (fires(requirements, task.conditions[static_cast<std::size_t>(effect.conditions)]))
            touch(touches, effect.fact.variable).target = effect.fact.value;
    Label label{static_cast<std::int32_t>(op), task.costs[op], {}};
    for (auto& [variable, touched] : touches) label.touches.push_back(std::move(touched));
    return label;
}

}  // namespace

bool Touch::allows(std::int32_t value) const {
    if (required >= 0) return value == required;
    return !std::ranges::binary_search(excluded, value);
}

TooManyOutcomes::TooManyOutcomes(std::size_t op, std::size_t outcomes)
    : std::length_error("operator " + std::to_string(op) + " has more than " +
                        std::to_string(outcomes) + " outcomes"),
      op(op) {}

std::vector<Label> split_into_labels(const FdrTask& task) {
    std::vector<Label> labels;
    for (std::size_t op = 0; op < task.num_operators(); ++op) {
        const auto questions = questions_of(task, op);
        const std::size_t outcomes = outcomes_of(questions);
        if (outcomes > kMaxOutcomes) throw TooManyOutcomes(op, kMaxOutcomes);
        for (std::size_t number = 0; number < outcomes; ++number)
            labels.push_back(outcome(task, op, questions, number));
    }
    return labels;
}

}  // namespace bugsieve
