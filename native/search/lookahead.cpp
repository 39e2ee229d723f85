#include <algorithm>

#include "search/search.h"
#include "search/search_space.h"

namespace bugsieve {

namespace {

// Depth-first search with a table of what was reached at which depth and cost. A state is
// entered again only if it is now met at a smaller depth or at a lower cost. Goal states are
// not entered: a plan ends there.
class Lookahead {
  public:
    Lookahead(const SearchTask& task, std::int64_t depth, std::int64_t cost_bound, Budget& budget)
        : fdr_(task.fdr()), space_(task), depth_(depth), bound_(cost_bound), budget_(budget) {}

    SearchResult run(StateView start, Leaves& leaves) {
        if (bound_ <= 0) {
            result_.status = Status::kBound;
            return std::move(result_);
        }
        const StateId root = space_.insert_start(start);
        is_covered(root, {0, 0, -1});
        space_.load(root);
        cut_off_ = depth_ == 0 && !space_.is_goal();
        if (depth_ > 0 && !space_.is_goal() && !is_spent()) enter(root, -1, 0);
        while (!frames_.empty() && !is_spent()) step();
        finish(leaves);
        return std::move(result_);
    }

  private:
    struct Frame {
        StateId id;
        std::int32_t last_step;
        std::int64_t cost;
        std::size_t first, next, end;  // operators still to try, into operators_
    };
    struct Visit {
        std::int64_t depth, cost;
        std::int32_t last_step;
    };

    bool is_spent() {
        const std::size_t held = steps_.capacity() * sizeof(Leaves::Step) +
                                 visits_.capacity() * sizeof(visits_[0]) +
                                 num_visits_ * sizeof(Visit) + frames_.capacity() * sizeof(Frame) +
                                 operators_.capacity() * sizeof(std::int32_t);
        const Spent spent = budget_.spent(result_.expanded, space_.bytes() + held);
        if (spent == Spent::kNothing) return false;
        result_.status = status_of(spent);
        limit_hit_ = true;
        return true;
    }

    void enter(StateId id, std::int32_t last_step, std::int64_t cost) {
        space_.load(id);
        ++result_.expanded;
        const std::size_t first = operators_.size();
        const auto applicable = space_.applicable();
        operators_.insert(operators_.end(), applicable.begin(), applicable.end());
        frames_.push_back({id, last_step, cost, first, first, operators_.size()});
    }

    void step() {
        Frame& frame = frames_.back();
        if (frame.next == frame.end) {
            operators_.resize(frame.first);
            frames_.pop_back();
            return;
        }
        const std::int32_t op = operators_[frame.next++];
        const std::int64_t cost = frame.cost + fdr_.costs[static_cast<std::size_t>(op)];
        ++result_.generated;
        if (cost >= bound_) {
            pruned_by_bound_ = true;
            return;
        }
        space_.load(frame.id);
        const StateId child = space_.insert_child(frame.id, op).id;
        const auto depth = static_cast<std::int64_t>(frames_.size());
        const auto last_step = static_cast<std::int32_t>(steps_.size());
        if (is_covered(child, {depth, cost, last_step})) return;
        steps_.push_back({frame.last_step, op});
        space_.load(child);
        if (space_.is_goal()) return;
        if (depth == depth_)
            cut_off_ = true;
        else
            enter(child, last_step, cost);
    }

    // Remembers the visit unless an earlier one was at least as shallow and as cheap.
    bool is_covered(StateId id, const Visit& visit) {
        if (id >= visits_.size()) visits_.resize(space_.size());
        auto& earlier = visits_[id];
        const auto covers = [](const Visit& a, const Visit& b) {
            return a.depth <= b.depth && a.cost <= b.cost;
        };
        if (std::any_of(earlier.begin(), earlier.end(),
                        [&](const Visit& v) { return covers(v, visit); }))
            return true;
        num_visits_ -= std::erase_if(earlier, [&](const Visit& v) { return covers(visit, v); });
        earlier.push_back(visit);
        ++num_visits_;
        return false;
    }

    void finish(Leaves& leaves) {
        leaves.is_complete = !limit_hit_;
        leaves.steps = std::move(steps_);
        std::size_t best = space_.size();
        for (StateId id = 0; id < space_.size(); ++id) {
            const Visit& cheapest =
                *std::min_element(visits_[id].begin(), visits_[id].end(),
                                  [](const Visit& a, const Visit& b) { return a.cost < b.cost; });
            space_.append_row(id, leaves.states);
            leaves.costs.push_back(cheapest.cost);
            leaves.last_steps.push_back(cheapest.last_step);
            space_.load(id);
            if (space_.is_goal() && (best == space_.size() || cheapest.cost < leaves.costs[best]))
                best = id;
        }
        if (best != space_.size()) {
            set_solved(result_, fdr_, leaves.path(best));
        } else if (!limit_hit_) {
            result_.status = cut_off_           ? Status::kGaveUp
                             : pruned_by_bound_ ? Status::kBound
                                                : Status::kUnsolvable;
        }
    }

    const FdrTask& fdr_;
    SearchSpace space_;
    std::int64_t depth_;
    std::int64_t bound_;
    Budget& budget_;
    std::vector<Frame> frames_;
    std::vector<std::int32_t> operators_;  // of all frames, one after the other
    std::vector<Leaves::Step> steps_;
    std::vector<std::vector<Visit>> visits_;
    std::size_t num_visits_ = 0;
    bool cut_off_ = false, pruned_by_bound_ = false, limit_hit_ = false;
    SearchResult result_;
};

}  // namespace

SearchResult lookahead(const SearchTask& task, StateView state, std::int64_t depth,
                       std::int64_t cost_bound, Budget& budget, Leaves& leaves) {
    return Lookahead(task, depth, cost_bound, budget).run(state, leaves);
}

}  // namespace bugsieve
