// The states a search has seen, how it came to them, and their expansion.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "search/search.h"

namespace bugsieve {

struct Node {
    std::int64_t cost = 0;  // of the best known way from the start
    StateId parent = kNoState;
    std::int32_t op = kNoOperator;
    std::int32_t h = kNotEvaluated;

    static constexpr std::int32_t kNotEvaluated = -1;
};

class SearchSpace {
  public:
    explicit SearchSpace(const SearchTask& task)
        : task_(task),
          registry_(task.packing()),
          state_(task.fdr().num_variables()),
          packed_(task.packing().words()) {}

    StateId insert_start(StateView state) {
        task_.packing().pack(state, packed_.data());
        return insert().id;
    }
    Node& node(StateId id) { return nodes_[id]; }
    std::size_t size() const { return nodes_.size(); }
    std::size_t bytes() const { return registry_.bytes() + nodes_.capacity() * sizeof(Node); }

    // Unpacks a state into the scratch row that `state()` shows.
    void load(StateId id) { unpack(id, state_); }
    StateView state() const { return state_; }
    bool is_goal() const { return task_.fdr().is_goal(state_); }
    bool is_goal(StateId id) {
        registry_.read(id, packed_.data());
        const auto holds = [&](const Fact& fact) {
            return task_.packing().get(packed_.data(), static_cast<std::size_t>(fact.variable)) ==
                   fact.value;
        };
        return std::ranges::all_of(task_.fdr().goal, holds);
    }
    std::span<const std::int32_t> applicable() {
        operators_.clear();
        task_.generator().append_applicable(state_, operators_);
        return operators_;
    }

    StateRegistry::Inserted insert_child(StateId parent, std::int32_t op) {
        registry_.read(parent, packed_.data());
        task_.fdr().for_each_assignment(
            state_, static_cast<std::size_t>(op), [&](std::int32_t variable, std::int32_t value) {
                task_.packing().set(packed_.data(), static_cast<std::size_t>(variable), value);
            });
        return insert();
    }

    // The operators on the way from the start to `id`.
    std::vector<std::int32_t> path(StateId id) const {
        std::vector<std::int32_t> plan;
        for (; nodes_[id].parent != kNoState; id = nodes_[id].parent)
            plan.push_back(nodes_[id].op);
        std::reverse(plan.begin(), plan.end());
        return plan;
    }

    // Appends the state as a row of `rows`.
    void append_row(StateId id, std::vector<Value>& rows) {
        const std::size_t at = rows.size();
        rows.resize(at + state_.size());
        unpack(id, std::span(rows).subspan(at));
    }

  private:
    void unpack(StateId id, std::span<Value> state) {
        registry_.read(id, packed_.data());
        task_.packing().unpack(packed_.data(), state);
    }
    StateRegistry::Inserted insert() {
        const auto inserted = registry_.insert(packed_.data());
        if (inserted.is_new) nodes_.emplace_back();
        return inserted;
    }

    const SearchTask& task_;
    StateRegistry registry_;
    std::vector<Node> nodes_;
    std::vector<Value> state_;
    std::vector<Word> packed_;  // the state at hand
    std::vector<std::int32_t> operators_;
};

// New states of a search wait here until there are enough of them to be worth evaluating.
class PendingStates {
  public:
    static constexpr std::size_t kPortion = 32;  // evaluated between two looks at the budget

    void add(SearchSpace& space, StateId id) {
        ids_.push_back(id);
        space.append_row(id, rows_);
    }
    std::size_t size() const { return ids_.size(); }
    std::size_t bytes() const { return rows_.capacity() * sizeof(Value); }

    // Evaluates the states in order of arrival: counts each in `result`, sets the heuristic value
    // of its node, and calls visit(id, position). Stops with the reason when the budget is spent.
    template <class Visit>
    Spent evaluate(Evaluator& evaluator, SearchSpace& space, Budget& budget, SearchResult& result,
                   Preferred* preferred, Visit visit) {
        const std::size_t width = ids_.empty() ? 0 : rows_.size() / ids_.size();
        for (std::size_t from = 0; from < ids_.size(); from += kPortion) {
            if (from > 0) {
                const Spent spent = budget.spent(result.expanded, space.bytes() + bytes());
                if (spent == Spent::kTime || spent == Spent::kMemory) return spent;
            }
            values_.resize(std::min(kPortion, ids_.size() - from));
            evaluator.evaluate(std::span(rows_).subspan(from * width, values_.size() * width),
                               values_, budget.interrupts(), preferred);
            result.evaluated += static_cast<std::int64_t>(values_.size());
            for (std::size_t i = 0; i < values_.size(); ++i) {
                space.node(ids_[from + i]).h = values_[i];
                visit(ids_[from + i], from + i);
            }
        }
        ids_.clear();
        rows_.clear();
        return Spent::kNothing;
    }

  private:
    std::vector<StateId> ids_;
    std::vector<Value> rows_;
    std::vector<std::int32_t> values_;
};

inline Status status_of(Spent spent) {
    return spent == Spent::kExpansions ? Status::kExpansions
           : spent == Spent::kTime     ? Status::kTime
                                       : Status::kMemory;
}

// The way to a node may have become cheaper after the node was reached: add up its cost afresh.
inline void set_solved(SearchResult& result, const FdrTask& task, std::vector<std::int32_t> plan) {
    result.status = Status::kSolved;
    result.cost = 0;
    for (const std::int32_t op : plan) result.cost += task.costs[static_cast<std::size_t>(op)];
    result.plan = std::move(plan);
}

}  // namespace bugsieve
