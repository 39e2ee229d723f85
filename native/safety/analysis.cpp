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
        try {
            Meter meter(limits, interrupts);
            decider_->decide(state, meter);
        } catch (const LimitReached& reached) {
            // The last step before the limit may have decided the state.
            if (!values_.is_decided(state)) return {Verdict::kUnknown, reached.limit};
        }
    }
    return {values_.is_safe(state, values_.budget()) ? Verdict::kSafe : Verdict::kLost};
}

std::vector<Step> SafetyAnalysis::faults(std::span<const std::uint64_t> rows, std::size_t length,
                                         const Limits& limits, Interrupts& interrupts) {
    std::vector<Step> steps(length);
    const std::size_t words = space_.system().words();
    for (std::size_t i = length; i-- > 0;) {
        const StateId state = space_.insert(rows.data() + i * words);
        steps[i].answer = decide(state, limits, interrupts);
        if (steps[i].answer.verdict != Verdict::kLost)
            find_fault(state, steps[i], limits, interrupts);
    }
    return steps;
}

void SafetyAnalysis::find_fault(StateId state, Step& step, const Limits& limits,
                                Interrupts& interrupts) {
    if (values_.is_safe(state, 0) && !space_.is_expanded(state)) return;  // a goal ends the run
    try {
        Meter meter(limits, interrupts);
        ActionCursor cursor = space_.actions(state, meter);
        if (cursor.actions_left() == 0) return;
        const std::int32_t choice = policy_->action(space_.row(state));
        while (cursor.next_action())
            if (cursor.action() == choice) break;
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
