#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <span>

#include "search/search.h"
#include "search/search_space.h"

namespace bugsieve {

namespace {

// A* with reopening, first in first out among equals. Nodes of equal priority are expanded
// together until enough new states have gathered to evaluate them side by side; since all of them
// have the least f, the first goal taken out is still optimal. How many are enough grows with the
// search: in the last layer the first of them may lead straight to a goal.
class AStar {
  public:
    AStar(const SearchTask& task, std::string_view heuristic, std::int64_t cost_bound,
          Budget& budget)
        : fdr_(task.fdr()),
          space_(task),
          evaluator_(task.evaluator(heuristic, budget.interrupts())),
          least_cost_(least_positive(fdr_.costs)),
          bound_(cost_bound),
          budget_(budget) {}

    SearchResult run(StateView start) {
        pending_.add(space_, space_.insert_start(start));
        if (evaluate_pending()) return std::move(result_);
        while (!open_.empty())
            if (expand_batch()) return std::move(result_);
        result_.status = pruned_by_bound_ ? Status::kBound : Status::kUnsolvable;
        return std::move(result_);
    }

  private:
    struct Priority {
        std::int64_t f;
        std::int32_t h;
        auto operator<=>(const Priority&) const = default;
    };
    struct Entry {
        StateId id;
        std::int64_t cost;
    };
    static constexpr std::int64_t kShareInVain = 8;

    static std::int32_t least_positive(std::span<const std::int32_t> costs) {
        std::int32_t least = std::numeric_limits<std::int32_t>::max();
        for (const std::int32_t cost : costs)
            if (cost > 0) least = std::min(least, cost);
        return least;
    }

    // Returns true when the search is over.
    bool expand_batch() {
        const auto best = open_.begin();
        if (best->first.f > layer_) {
            layer_ = best->first.f;
            result_.evaluated_before_last_layer = result_.evaluated;
        }
        std::deque<Entry>& bucket = best->second;
        const std::size_t enough = portion(best->first.h);
        while (!bucket.empty() && pending_.size() < enough) {
            const Entry entry = bucket.front();
            bucket.pop_front();
            --open_entries_;
            if (entry.cost != space_.node(entry.id).cost) continue;  // since reached cheaper
            if (finished_by(entry.id)) return true;
        }
        if (bucket.empty()) open_.erase(best);
        return evaluate_pending();
    }

    // So many states that all portions down to h = 0, if evaluated in vain, are a small share of
    // the states evaluated so far.
    std::size_t portion(std::int32_t h) const {
        const std::int64_t portions_left = h / least_cost_ + 1;
        const std::int64_t share = result_.evaluated / (kShareInVain * portions_left);
        return static_cast<std::size_t>(
            std::clamp<std::int64_t>(share, 1, PendingStates::kPortion));
    }

    bool finished_by(StateId id) {
        const std::size_t bytes = space_.bytes() + open_entries_ * sizeof(Entry);
        if (stops_for(budget_.spent(result_.expanded, bytes))) return true;
        space_.load(id);
        if (space_.is_goal()) {
            set_solved(result_, fdr_, space_.path(id));
            return true;
        }
        expand(id);
        return false;
    }

    bool stops_for(Spent spent) {
        if (spent == Spent::kNothing) return false;
        result_.status = status_of(spent);
        return true;
    }

    void expand(StateId id) {
        ++result_.expanded;
        const std::int64_t cost = space_.node(id).cost;
        for (const std::int32_t op : space_.applicable()) {
            const std::int64_t child_cost = cost + fdr_.costs[static_cast<std::size_t>(op)];
            ++result_.generated;
            if (child_cost >= bound_) {
                pruned_by_bound_ = true;
                continue;
            }
            const auto [child, is_new] = space_.insert_child(id, op);
            Node& node = space_.node(child);
            if (!is_new && child_cost >= node.cost) continue;
            node.cost = child_cost;
            node.parent = id;
            node.op = op;
            if (is_new)
                pending_.add(space_, child);
            else if (node.h != Node::kNotEvaluated)
                push(child);
        }
    }

    void push(StateId id) {
        const Node& node = space_.node(id);
        if (node.h == kDeadEnd) return;
        const std::int32_t least = evaluator_->is_admissible() ? node.h : 0;
        if (node.cost + least >= bound_) {
            pruned_by_bound_ = true;
            return;
        }
        open_[{node.cost + node.h, node.h}].push_back({id, node.cost});
        ++open_entries_;
    }

    // Returns true when the search is over.
    bool evaluate_pending() {
        return stops_for(pending_.evaluate(*evaluator_, space_, budget_, result_, nullptr,
                                           [&](StateId id, std::size_t) { push(id); }));
    }

    const FdrTask& fdr_;
    SearchSpace space_;
    std::unique_ptr<Evaluator> evaluator_;
    std::int32_t least_cost_;  // of an operator that is not free
    std::int64_t bound_;
    Budget& budget_;
    PendingStates pending_;
    std::map<Priority, std::deque<Entry>> open_;
    std::int64_t layer_ = -1;  // the largest f expanded
    std::size_t open_entries_ = 0;
    bool pruned_by_bound_ = false;
    SearchResult result_;
};

}  // namespace

SearchResult astar(const SearchTask& task, StateView state, std::string_view heuristic,
                   std::int64_t cost_bound, Budget& budget) {
    return AStar(task, heuristic, cost_bound, budget).run(state);
}

}  // namespace bugsieve
