#include "heuristics/evaluator.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

#include "heuristics/explorer.h"
#include "heuristics/landmark_cut.h"
#include "heuristics/relaxed_plan.h"

namespace bugsieve {

namespace {

constexpr std::array<std::string_view, 5> kNames = {"blind", "hmax", "hadd", "hff", "lmcut"};

class BlindEvaluator : public Evaluator {
  public:
    explicit BlindEvaluator(const FdrTask& task)
        : task_(task), cheapest_(task.costs.empty() ? 0 : *std::ranges::min_element(task.costs)) {}

    void evaluate(std::span<const Value> states, std::span<std::int32_t> values, Interrupts&,
                  Preferred*) override {
        const std::size_t width = task_.num_variables();
        for (std::size_t row = 0; row < values.size(); ++row)
            values[row] = task_.is_goal(states.subspan(row * width, width)) ? 0 : cheapest_;
    }
    bool is_admissible() const override { return true; }

  private:
    const FdrTask& task_;
    std::int32_t cheapest_;
};

// h^max or h^add: the goal facts' values combined.
class GoalValueEvaluator : public Evaluator {
  public:
    GoalValueEvaluator(const Relaxation& relaxation, Combine combine)
        : relaxation_(relaxation), combine_(combine), explorer_(relaxation, relaxation.costs) {}

    void evaluate(std::span<const Value> states, std::span<std::int32_t> values,
                  Interrupts& interrupts, Preferred*) override {
        explorer_.explore(
            states, values.size(), combine_, ScalarExploration::Extent::kUntilGoal, interrupts,
            [&](std::size_t row, const auto& value) { values[row] = combined(value); });
    }
    bool is_admissible() const override { return combine_ == Combine::kMax; }

  private:
    template <class ValueOf>
    std::int32_t combined(const ValueOf& value) const {
        std::uint64_t total = 0;
        for (const std::int32_t fact : relaxation_.goal) {
            const std::uint64_t v = value(fact);
            if (v == kUnreachable) return kDeadEnd;
            total = combine_ == Combine::kMax ? std::max(total, v)
                                              : std::min(total + v, kLargestValue);
        }
        return static_cast<std::int32_t>(std::min<std::uint64_t>(total, kDeadEnd - 1));
    }

    const Relaxation& relaxation_;
    Combine combine_;
    Explorer explorer_;
};

class FfEvaluator : public Evaluator {
  public:
    FfEvaluator(const FdrTask& task, const Relaxation& relaxation)
        : explorer_(relaxation, relaxation.weights), plan_(task, relaxation) {}

    void evaluate(std::span<const Value> states, std::span<std::int32_t> values,
                  Interrupts& interrupts, Preferred* preferred) override {
        const std::size_t width = values.empty() ? 0 : states.size() / values.size();
        explorer_.explore(
            states, values.size(), Combine::kSum, ScalarExploration::Extent::kUntilGoal,
            interrupts, [&](std::size_t row, const auto& value) {
                values[row] = plan_.extract(value);
                if (preferred)
                    plan_.append_applicable(states.subspan(row * width, width), *preferred);
            });
    }
    bool has_preferred() const override { return true; }

  private:
    Explorer explorer_;
    RelaxedPlan plan_;
};

class LmCutEvaluator : public Evaluator {
  public:
    explicit LmCutEvaluator(const Relaxation& relaxation)
        : explorer_(relaxation, relaxation.costs), landmarks_(relaxation) {}

    void evaluate(std::span<const Value> states, std::span<std::int32_t> values,
                  Interrupts& interrupts, Preferred*) override {
        explorer_.explore(states, values.size(), Combine::kMax,
                          ScalarExploration::Extent::kAllFacts, interrupts,
                          [&](std::size_t row, const auto& value) {
                              values[row] = landmarks_.evaluate(value, interrupts);
                          });
    }
    bool is_admissible() const override { return true; }

  private:
    Explorer explorer_;
    LandmarkCut landmarks_;
};

}  // namespace

std::span<const std::string_view> heuristic_names() { return kNames; }

bool is_heuristic(std::string_view name) {
    return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

std::unique_ptr<Evaluator> make_blind_evaluator(const FdrTask& task) {
    return std::make_unique<BlindEvaluator>(task);
}

std::unique_ptr<Evaluator> make_evaluator(std::string_view name, const FdrTask& task,
                                          const Relaxation& relaxation) {
    if (name == "hmax") return std::make_unique<GoalValueEvaluator>(relaxation, Combine::kMax);
    if (name == "hadd") return std::make_unique<GoalValueEvaluator>(relaxation, Combine::kSum);
    if (name == "hff") return std::make_unique<FfEvaluator>(task, relaxation);
    if (name == "lmcut") return std::make_unique<LmCutEvaluator>(relaxation);
    throw std::invalid_argument("unknown heuristic: " + std::string(name));
}

}  // namespace bugsieve
