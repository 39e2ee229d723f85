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
    Lookahead(const SearchTask& task, std::int64_t depth, const SearchOptions& options,
              Interrupts& interrupts)
        : fdr_(task.fdr()),
          space_(task),
          depth_(depth),
          bound_(options.cost_bound),
          budget_(options.limits, interrupts) {}

    SearchResult run(StateView start, Leaves& leaves) {
        result_.status = Status::kUnsolvable;
        if (bound_ <= 0) {
            result_.status = Status::kBound;
            return std::move(result_);
        }
        const StateId root = space_.insert_start(start);
        record(root, 0, {});
        space_.load(root);
        cut_off_ = depth_ == 0;
        if (depth_ > 0 && !space_.is_goal() && !is_spent()) enter(root);
        while (!frames_.empty() && !is_spent()) step();
        finish(leaves);
        return std::move(result_);
    }

  private:
    struct Frame {
        StateId id;
        std::vector<std::int32_t> operators;
        std::size_t next = 0;
    };
    struct Visit {
        std::int64_t depth, cost;
    };

    bool is_spent() {
        const Spent spent = budget_.spent(result_.expanded, space_.bytes());
        if (spent == Spent::kNothing) return false;
        result_.status = status_of(spent);
        limit_hit_ = true;
        return true;
    }

    void enter(StateId id) {
        space_.load(id);
        ++result_.expanded;
        const auto operators = space_.applicable();
        frames_.push_back({id, {operators.begin(), operators.end()}, 0});
    }

    void step() {
        Frame& frame = frames_.back();
        if (frame.next == frame.operators.size()) {
            frames_.pop_back();
            if (!way_.empty()) {
                cost_ -= fdr_.costs[static_cast<std::size_t>(way_.back())];
                way_.pop_back();
            }
            return;
        }
        const std::int32_t op = frame.operators[frame.next++];
        const std::int64_t cost = cost_ + fdr_.costs[static_cast<std::size_t>(op)];
        ++result_.generated;
        if (cost >= bound_) {
            pruned_by_bound_ = true;
            return;
        }
        space_.load(frame.id);
        const StateId child = space_.insert_child(frame.id, op).id;
        const auto depth = static_cast<std::int64_t>(way_.size()) + 1;
        if (is_covered(child, {depth, cost})) return;
        way_.push_back(op);
        cost_ = cost;
        record(child, cost, way_);
        space_.load(child);
        if (space_.is_goal() || depth == depth_) {
            if (!space_.is_goal()) cut_off_ = true;
            way_.pop_back();
            cost_ -= fdr_.costs[static_cast<std::size_t>(op)];
            return;
        }
        enter(child);
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
        std::erase_if(earlier, [&](const Visit& v) { return covers(visit, v); });
        earlier.push_back(visit);
        return false;
    }

    void record(StateId id, std::int64_t cost, const std::vector<std::int32_t>& way) {
        if (id >= ways_.size()) ways_.resize(space_.size());
        if (id >= visits_.size()) visits_.resize(space_.size());
        if (way.empty()) visits_[id].push_back({0, 0});
        if (space_.node(id).h != Node::kNotEvaluated && space_.node(id).cost <= cost) return;
        space_.node(id).cost = cost;
        space_.node(id).h = 0;  // marks the node as recorded
        ways_[id] = way;
    }

    void finish(Leaves& leaves) {
        StateId best = kNoState;
        for (StateId id = 0; id < space_.size(); ++id) {
            if (space_.node(id).h == Node::kNotEvaluated) continue;
            space_.append_row(id, leaves.states);
            leaves.costs.push_back(space_.node(id).cost);
            leaves.paths.push_back(ways_[id]);
            space_.load(id);
            if (space_.is_goal() &&
                (best == kNoState || space_.node(id).cost < space_.node(best).cost))
                best = id;
        }
        if (best != kNoState) {
            set_solved(result_, fdr_, ways_[best]);
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
    Budget budget_;
    std::vector<Frame> frames_;
    std::vector<std::int32_t> way_;
    std::int64_t cost_ = 0;
    std::vector<std::vector<Visit>> visits_;
    std::vector<std::vector<std::int32_t>> ways_;
    bool cut_off_ = false, pruned_by_bound_ = false, limit_hit_ = false;
    SearchResult result_;
};

}  // namespace

SearchResult lookahead(const SearchTask& task, StateView state, std::int64_t depth,
                       const SearchOptions& options, Interrupts& interrupts, Leaves& leaves) {
    return Lookahead(task, depth, options, interrupts).run(state, leaves);
}

}  // namespace bugsieve
