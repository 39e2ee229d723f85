// Verdicts on states and runs, with one cache for all questions.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "safety/certificates.h"
#include "safety/decider.h"

namespace bugsieve {

enum class Verdict : std::int8_t { kUnknown = -1, kLost = 0, kSafe = 1 };

struct Answer {
    Verdict verdict;
    Spent limit = Spent::kNothing;  // that was reached, if unknown
};

enum class FaultVerdict : std::int8_t { kUnknown = -1, kNone = 0, kFault = 1 };

struct Step {
    Answer answer;
    FaultVerdict fault = FaultVerdict::kNone;
    StateId outcome = 0;  // of a fault: from which danger cannot be avoided
};

class SafetyAnalysis {
  public:
    // A finite radius needs a policy; so do faults. Both must outlive the analysis.
    SafetyAnalysis(TransitionSystem& system, PolicyView* policy, std::string_view algorithm,
                   std::optional<std::int32_t> radius);

    // Limits count for each state anew.
    Answer decide(const std::uint64_t* row, const Limits& limits, Interrupts& interrupts);

    // Of each state of a run, whether it is safe, and whether what the policy does there is a
    // fault: the state is safe, but an outcome is not. Works from the end to the start, where
    // later answers help the earlier ones, and asks the policy about all states at once.
    std::vector<Step> faults(std::span<const std::uint64_t> rows, std::size_t length,
                             const Limits& limits, Interrupts& interrupts);

    AlternativePolicy alternative(const std::uint64_t* row, const Limits& limits,
                                  Interrupts& interrupts);
    LosingRanking ranking(const std::uint64_t* row, const Limits& limits, Interrupts& interrupts);

    const StateSpace& space() const { return space_; }
    // Steps of the algorithm, of all questions: its cost, on every machine.
    std::int64_t turns() const { return turns_; }
    std::size_t bytes() const { return space_.bytes() + values_.bytes() + decider_->bytes(); }

  private:
    Answer decide(StateId state, const Limits& limits, Interrupts& interrupts);
    // The policy's choice where its decision may be a fault.
    struct Choice {
        std::size_t position;
        StateId state;
        std::int32_t action;
    };
    std::vector<Choice> choices(std::span<const StateId> run, std::span<const Step> steps);
    void find_fault(const Choice& choice, Step& step, const Limits& limits,
                    Interrupts& interrupts);

    PolicyView* policy_;
    StateSpace space_;
    Values values_;
    std::unique_ptr<Decider> decider_;
    std::int64_t turns_ = 0;
};

}  // namespace bugsieve
