#include "dominance/factor_walks.h"

#include <algorithm>

namespace bugsieve {

namespace {

std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }
std::int32_t number(std::size_t index) { return static_cast<std::int32_t>(index); }

Distance capped(std::int64_t sum) {
    return static_cast<Distance>(std::min<std::int64_t>(sum, kFarAway));
}

Square<Distance> all_costs(const Factor& factor, const std::vector<TauStep>& steps,
                           WorkMeter& meter) {
    const WalkGraph graph(factor, steps, false);
    Square<Distance> costs(factor.num_states(), kFarAway);
    CheapestWays ways;
    for (std::size_t x = 0; x < factor.num_states(); ++x) {
        meter.spend(factor.num_states() + 4 * graph.edges.size());
        ways.find(graph, number(x), {costs.row(x), costs.size()});
    }
    return costs;
}

}  // namespace

FactorWalks::FactorWalks(const FactoredTask& task, Tau tau, WorkMeter& meter) {
    const std::vector<Factor>& factors = task.factors();
    for (const Factor& factor : factors) {
        costs_.emplace_back(factor.num_states(), kFarAway);
        for (std::size_t x = 0; x < factor.num_states(); ++x) costs_.back()(x, x) = 0;
    }
    if (tau == Tau::kNone) return;
    try {
        Stage stage = local_steps(task);
        for (bool is_cheaper = true; is_cheaper;) {
            std::vector<Square<Distance>> costs;
            for (std::size_t i = 0; i < factors.size(); ++i) {
                const bool is_same =
                    !stages_.empty() && std::ranges::equal(stage[i], stages_.back()[i], {},
                                                           &TauStep::cost, &TauStep::cost);
                costs.push_back(is_same ? costs_[i] : all_costs(factors[i], stage[i], meter));
            }
            costs_ = std::move(costs);
            stages_.push_back(stage);
            is_cheaper = tau == Tau::kStages && next_stage(task, stage, meter);
        }
    } catch (const WorkSpent&) {
        was_cut_ = true;
    }
}

void FactorWalks::save(std::vector<std::int32_t>& words) const {
    words.push_back(number(stages_.size()));
    for (const Stage& stage : stages_)
        for (const auto& steps : stage)
            for (const TauStep& step : steps)
                words.insert(words.end(), {step.cost, step.label, step.stage});
    for (const auto& costs : costs_)
        words.insert(words.end(), costs.items().begin(), costs.items().end());
}

FactorWalks::FactorWalks(const FactoredTask& task,
                         const std::function<std::span<const std::int32_t>(std::size_t)>& take) {
    stages_.resize(at(take(1).front()));
    for (Stage& stage : stages_)
        for (const Factor& factor : task.factors()) {
            auto& steps = stage.emplace_back();
            for (std::size_t g = 0; g < factor.groups.size(); ++g) {
                const auto words = take(3);
                steps.push_back({words[0], words[1], words[2]});
            }
        }
    for (const Factor& factor : task.factors()) {
        costs_.emplace_back(factor.num_states(), 0);
        std::ranges::copy(take(costs_.back().items().size()), costs_.back().items().begin());
    }
}

FactorWalks::Stage FactorWalks::local_steps(const FactoredTask& task) {
    Stage stage;
    for (const Factor& factor : task.factors()) stage.emplace_back(factor.groups.size());
    for (std::size_t l = 0; l < task.labels().size(); ++l) {
        if (!task.is_alive(l) || task.touched(l).size() != 1) continue;
        const auto i = at(task.touched(l).front());
        TauStep& step = stage[i][at(task.factors()[i].group_of[l])];
        if (task.labels()[l].cost < step.cost) step = {task.labels()[l].cost, number(l), 0};
    }
    return stage;
}

std::vector<Distance> FactorWalks::absorption(const Factor& factor, std::size_t index,
                                              WorkMeter& meter) const {
    const Square<Distance>& costs = costs_[index];
    std::vector<Distance> result(factor.groups.size(), 0);
    std::vector<Distance> least(factor.num_states());
    for (std::size_t g = 1; g < factor.groups.size(); ++g) {
        meter.spend(factor.groups[g].size() * factor.num_states());
        std::ranges::fill(least, kFarAway);
        for (std::size_t r = 0; r < factor.num_states(); ++r)
            for (const FactorTransition& t : factor.groups[g])
                least[r] = std::min(least[r], costs(r, at(t.from)) + costs(at(t.to), r));
        result[g] = std::min(kFarAway, *std::ranges::max_element(least));
    }
    return result;
}

bool FactorWalks::next_stage(const FactoredTask& task, Stage& stage, WorkMeter& meter) const {
    std::vector<std::vector<Distance>> absorbed;
    for (std::size_t i = 0; i < task.factors().size(); ++i)
        absorbed.push_back(absorption(task.factors()[i], i, meter));
    bool is_cheaper = false;
    for (std::size_t l = 0; l < task.labels().size(); ++l) {
        if (!task.is_alive(l)) continue;
        for (const std::int32_t i : task.touched(l)) {
            std::int64_t cost = task.labels()[l].cost;
            for (const std::int32_t j : task.touched(l))
                if (j != i) cost += absorbed[at(j)][at(task.factors()[at(j)].group_of[l])];
            TauStep& step = stage[at(i)][at(task.factors()[at(i)].group_of[l])];
            if (capped(cost) >= step.cost) continue;
            step = {capped(cost), number(l), number(stages_.size())};
            is_cheaper = true;
        }
    }
    return is_cheaper;
}

}  // namespace bugsieve
