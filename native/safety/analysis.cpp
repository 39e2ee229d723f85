#include "safety/analysis.h"

namespace bugsieve {

SafetyAnalysis::SafetyAnalysis(TransitionSystem& system, PolicyView* policy,
                               std::string_view algorithm, std::optional<std::int32_t> radius)
    : policy_(policy),
      space_(system, radius ? policy : nullptr),  // without radius, divergences cost nothing
      values_(space_, radius),
      decider_(make_decider(algorithm, values_)) {}

Answer SafetyAnalysis::decide(const std::uint64_t* row, const Limits& limits,
                              Interrupts& interrupts) {
    return decide(space_.insert(row), limits, interrupts);
}

Answer SafetyAnalysis::decide(StateId state, const Limits& limits, Interrupts& interrupts) {
    if (!values_.is_decided(state)) {
        Meter meter(limits, interrupts);
        try {
            decider_->decide(state, meter);
            turns_ += meter.turns();
        } catch (const LimitReached& reached) {
            turns_ += meter.turns();
            // The last step before the limit may have decided the state.
            if (!values_.is_decided(state)) return {Verdict::kUnknown, reached.limit};
        }
    }
    return {values_.is_safe(state, values_.budget()) ? Verdict::kSafe : Verdict::kLost};
}

std::vector<Step> SafetyAnalysis::faults(std::span<const std::uint64_t> rows, std::size_t length,
                                         const Limits& limits, Interrupts& interrupts) {
    std::vector<Step> steps(length);
    std::vector<StateId> run(length);
    const std::size_t words = space_.system().words();
    for (std::size_t i = length; i-- > 0;) {
        run[i] = space_.insert(rows.data() + i * words);
        steps[i].answer = decide(run[i], limits, interrupts);
    }
    for (const Choice& choice : choices(run, steps))
        find_fault(choice, steps[choice.position], limits, interrupts);
    return steps;
}

std::vector<SafetyAnalysis::Choice> SafetyAnalysis::choices(std::span<const StateId> run,
                                                            std::span<const Step> steps) {
    std::vector<Choice> found;
    std::vector<std::uint64_t> rows;
    for (std::size_t i = run.size(); i-- > 0;) {
        if (steps[i].answer.verdict == Verdict::kLost) continue;
        // A goal ends the run, and so does a state without actions.
        if (values_.is_safe(run[i], 0) &&
            (!space_.is_expanded(run[i]) || space_.actions(run[i]).actions_left() == 0))
            continue;
        found.push_back({i, run[i], -1});
        const std::uint64_t* row = space_.row(run[i]);
        rows.insert(rows.end(), row, row + space_.system().words());
    }
    std::vector<std::int32_t> actions(found.size());
    if (!found.empty()) policy_->actions(rows.data(), found.size(), actions.data());
    for (std::size_t k = 0; k < found.size(); ++k) found[k].action = actions[k];
    return found;
}

void SafetyAnalysis::find_fault(const Choice& choice, Step& step, const Limits& limits,
                                Interrupts& interrupts) {
    try {
        Meter meter(limits, interrupts);
        ActionCursor cursor = space_.actions(choice.state, meter);
        while (cursor.next_action())
            if (cursor.action() == choice.action) break;
        if (cursor.outcomes_left() == 0) return;  // the policy's choice is not applicable
        while (cursor.outcomes_left() > 0) {
            const StateId outcome = cursor.next_outcome();
            const Verdict verdict = decide(outcome, limits, interrupts).verdict;
            if (verdict == Verdict::kSafe) continue;
            step.fault = FaultVerdict::kUnknown;
            if (verdict == Verdict::kUnknown || step.answer.verdict != Verdict::kSafe) continue;
            step.fault = FaultVerdict::kFault;
            step.outcome = outcome;
            return;
        }
    } catch (const LimitReached&) {
        step.fault = FaultVerdict::kUnknown;
    }
}

AlternativePolicy SafetyAnalysis::alternative(const std::uint64_t* row, const Limits& limits,
                                              Interrupts& interrupts) {
    Meter meter(limits, interrupts);
    return alternative_policy(values_, space_.insert(row), meter);
}

LosingRanking SafetyAnalysis::ranking(const std::uint64_t* row, const Limits& limits,
                                      Interrupts& interrupts) {
    Meter meter(limits, interrupts);
    return losing_ranking(values_, space_.insert(row), meter);
}

}  // namespace bugsieve
