// Turns a bound of a dominance function into a plan that keeps it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "dominance/function.h"
#include "tasks/fdr_task.h"

namespace bugsieve {

// Has memory of its own, so one thread at a time.
class Replay {
  public:
    Replay(const FdrTask& task, const DominanceFunction& function)
        : task_(task), function_(function) {}

    // A plan for `t` that answers the plan for `s` step by step; nothing if the limit is met, or
    // if the function has no bound between states on the way. Costs at most what the plan for `s`
    // costs minus D(s, t), unless its parts break the triangle inequality; so the cost of the
    // result must be looked at.
    std::optional<std::vector<std::int32_t>> plan(StateView s, std::span<const std::int32_t> plan,
                                                  StateView t, std::size_t max_steps,
                                                  Interrupts& interrupts);

  private:
    struct Reply {
        Distance worth = kNoBoundOf;
        std::int32_t from = -1;  // where the factor walks first
    };

    bool follow(std::int32_t op);
    // The best answer to a step that cost `cost` and led to target_.
    bool answer(Distance cost);
    void find_replies(std::size_t factor);
    bool finish();
    bool walk(std::size_t factor, std::int32_t to, std::int32_t stage);
    bool step_alone(std::size_t factor, const TauStep& step);
    bool apply(std::int32_t label);
    const WalkGraph& graph(std::size_t factor, std::int32_t stage, bool backwards);
    std::int32_t last_stage() const {
        return static_cast<std::int32_t>(function_.walks().num_stages()) - 1;
    }

    const FdrTask& task_;
    const DominanceFunction& function_;
    std::map<std::tuple<std::size_t, std::int32_t, bool>, WalkGraph> graphs_;
    CheapestWays ways_;
    std::vector<Value> leader_, follower_;       // the present places of s and t
    std::vector<std::int32_t> target_, places_;  // the same, by factor
    std::vector<std::vector<Reply>> replies_;    // by factor and group
    std::vector<std::int32_t> result_;
    std::size_t max_steps_ = 0;
};

}  // namespace bugsieve
