#include <deque>
#include <map>

#include "search/search.h"
#include "search/search_space.h"

namespace bugsieve {

namespace {

// Entries in order of heuristic value, first in first out among equals.
template <class Entry>
class OpenList {
  public:
    void push(std::int32_t h, Entry entry) {
        buckets_[h].push_back(entry);
        ++size_;
    }
    Entry pop() {
        const auto best = buckets_.begin();
        const Entry entry = best->second.front();
        best->second.pop_front();
        if (best->second.empty()) buckets_.erase(best);
        --size_;
        return entry;
    }
    bool empty() const { return size_ == 0; }
    std::size_t size() const { return size_; }

  private:
    std::map<std::int32_t, std::deque<Entry>> buckets_;
    std::size_t size_ = 0;
};

// Two open lists taken from in turn: all successors, and those by preferred operators, which get
// extra turns whenever the search makes progress.
template <class Entry>
class Alternation {
  public:
    void push(std::int32_t h, Entry entry, bool is_preferred) {
        all_.push(h, entry);
        if (is_preferred) preferred_.push(h, entry);
    }
    bool empty() const { return all_.empty() && preferred_.empty(); }
    Entry pop() {
        const bool from_preferred =
            !preferred_.empty() && (all_.empty() || preferred_turns_ <= all_turns_);
        ++(from_preferred ? preferred_turns_ : all_turns_);
        return from_preferred ? preferred_.pop() : all_.pop();
    }
    void reward_preferred() { preferred_turns_ -= kBoost; }
    std::size_t bytes() const { return (all_.size() + preferred_.size()) * sizeof(Entry); }

  private:
    static constexpr std::int64_t kBoost = 1000;
    OpenList<Entry> all_, preferred_;
    std::int64_t all_turns_ = 0, preferred_turns_ = 0;
};

// The common part of the eager and the deferred search.
class GreedyBase {
  public:
    GreedyBase(const SearchTask& task, std::string_view heuristic, bool preferred,
               std::int64_t cost_bound, Budget& budget, const ExpansionWatcher* watcher)
        : fdr_(task.fdr()),
          space_(task),
          evaluator_(task.evaluator(heuristic, budget.interrupts())),
          uses_preferred_(preferred && evaluator_->has_preferred()),
          bound_(cost_bound),
          budget_(budget),
          watcher_(watcher) {}

  protected:
    // The state is the one that was loaded last.
    void count_expansion(StateId id) {
        ++result_.expanded;
        if (!watcher_) return;
        (*watcher_)(space_.state(), space_.node(id).cost, [&] { return space_.path(id); });
    }
    bool is_spent(std::size_t open_bytes) {
        return stops_for(budget_.spent(result_.expanded, space_.bytes() + open_bytes));
    }
    bool stops_for(Spent spent) {
        if (spent == Spent::kNothing) return false;
        result_.status = status_of(spent);
        return true;
    }
    SearchResult exhausted() {
        result_.status = pruned_by_bound_ ? Status::kBound : Status::kUnsolvable;
        return std::move(result_);
    }
    // Returns true if the child is to be (re)considered: it is new, or a bound is set and it
    // became cheaper, so that bounded searches stay complete.
    bool reach(StateId parent, std::int32_t op, StateRegistry::Inserted child,
               std::int64_t child_cost) {
        Node& node = space_.node(child.id);
        if (!child.is_new && (bound_ == kNoBound || child_cost >= node.cost)) return false;
        node.cost = child_cost;
        node.parent = parent;
        node.op = op;
        return true;
    }
    std::int64_t cost_through(StateId parent, std::int32_t op) {
        return space_.node(parent).cost + fdr_.costs[static_cast<std::size_t>(op)];
    }
    bool is_too_expensive(std::int64_t cost) {
        if (cost < bound_) return false;
        pruned_by_bound_ = true;
        return true;
    }

    const FdrTask& fdr_;
    SearchSpace space_;
    std::unique_ptr<Evaluator> evaluator_;
    bool uses_preferred_;
    std::int64_t bound_;
    Budget& budget_;
    const ExpansionWatcher* watcher_;
    PendingStates pending_;
    bool pruned_by_bound_ = false;
    std::int32_t best_h_ = kDeadEnd;
    SearchResult result_;
};

// Evaluates the children of a node together when it is expanded.
class EagerGreedy : GreedyBase {
  public:
    using GreedyBase::GreedyBase;

    SearchResult run(StateView start) {
        if (is_too_expensive(0)) return exhausted();
        pending_.add(space_, space_.insert_start(start));
        is_preferred_.push_back(false);
        if (evaluate_pending()) return std::move(result_);
        while (!open_.empty()) {
            if (is_spent(bytes())) return std::move(result_);
            const Entry entry = open_.pop();
            if (entry.cost != space_.node(entry.id).cost || is_closed(entry.id, entry.cost))
                continue;
            space_.load(entry.id);
            if (space_.is_goal()) {
                set_solved(result_, fdr_, space_.path(entry.id));
                return std::move(result_);
            }
            expand(entry.id);
            if (evaluate_pending()) return std::move(result_);
        }
        return exhausted();
    }

  private:
    struct Entry {
        StateId id;
        std::int64_t cost;
    };

    std::size_t bytes() const {
        return open_.bytes() + pending_.bytes() +
               expanded_at_.capacity() * sizeof(expanded_at_[0]) +
               preferred_ends_.capacity() * sizeof(preferred_ends_[0]) +
               preferred_operators_.capacity() * sizeof(preferred_operators_[0]);
    }

    // A node enters both lists; it is expanded once for each cost at which it was reached.
    bool is_closed(StateId id, std::int64_t cost) {
        if (id >= expanded_at_.size()) expanded_at_.resize(space_.size(), -1);
        if (expanded_at_[id] == cost) return true;
        expanded_at_[id] = cost;
        return false;
    }

    void expand(StateId id) {
        count_expansion(id);
        const auto preferred = preferred_of(id);
        for (const std::int32_t op : space_.applicable()) {
            ++result_.generated;
            const std::int64_t child_cost = cost_through(id, op);
            if (is_too_expensive(child_cost)) continue;
            const auto child = space_.insert_child(id, op);
            if (!reach(id, op, child, child_cost)) continue;
            const bool is_preferred = std::binary_search(preferred.begin(), preferred.end(), op);
            if (child.is_new) {
                pending_.add(space_, child.id);
                is_preferred_.push_back(is_preferred);
            } else {
                push(child.id, is_preferred);
            }
        }
    }

    void push(StateId id, bool is_preferred) {
        const Node& node = space_.node(id);
        if (node.h != kDeadEnd && node.h != Node::kNotEvaluated)
            open_.push(node.h, {id, node.cost}, is_preferred);
    }

    // Returns true when the budget is spent.
    bool evaluate_pending() {
        Preferred preferred;
        bool progress = false;
        const Spent spent = pending_.evaluate(
            *evaluator_, space_, budget_, result_, uses_preferred_ ? &preferred : nullptr,
            [&](StateId id, std::size_t i) {
                progress = progress || space_.node(id).h < best_h_;
                best_h_ = std::min(best_h_, space_.node(id).h);
                push(id, is_preferred_[i]);
            });
        is_preferred_.clear();
        if (progress) open_.reward_preferred();
        if (uses_preferred_) store(preferred);
        return stops_for(spent);
    }

    // States are evaluated in the order of their ids, so their operators can be appended.
    void store(const Preferred& preferred) {
        for (std::size_t i = 1; i < preferred.offsets.size(); ++i)
            preferred_ends_.push_back(preferred_operators_.size() +
                                      static_cast<std::size_t>(preferred.offsets[i]));
        preferred_operators_.insert(preferred_operators_.end(), preferred.operators.begin(),
                                    preferred.operators.end());
    }
    std::span<const std::int32_t> preferred_of(StateId id) const {
        if (!uses_preferred_) return {};
        const std::size_t begin = id == 0 ? 0 : preferred_ends_[id - 1];
        return std::span(preferred_operators_).subspan(begin, preferred_ends_[id] - begin);
    }

    Alternation<Entry> open_;
    std::vector<bool> is_preferred_;  // of the pending states
    std::vector<std::int64_t> expanded_at_;
    std::vector<std::size_t> preferred_ends_;
    std::vector<std::int32_t> preferred_operators_;
};

// Puts successors into the open list under their parent's value and evaluates them only when
// they are taken out.
class DeferredGreedy : GreedyBase {
  public:
    using GreedyBase::GreedyBase;

    SearchResult run(StateView start) {
        if (is_too_expensive(0)) return exhausted();
        if (is_spent(0) || visit(space_.insert_start(start), true)) return std::move(result_);
        while (!open_.empty()) {
            if (is_spent(open_.bytes())) return std::move(result_);
            const Entry entry = open_.pop();
            const std::int64_t child_cost = cost_through(entry.parent, entry.op);
            if (is_too_expensive(child_cost)) continue;
            space_.load(entry.parent);
            const auto child = space_.insert_child(entry.parent, entry.op);
            if (!reach(entry.parent, entry.op, child, child_cost)) continue;
            if (visit(child.id, child.is_new)) return std::move(result_);
        }
        return exhausted();
    }

  private:
    struct Entry {
        StateId parent;
        std::int32_t op;
    };

    // Evaluates and expands a state; returns true if it is a goal.
    bool visit(StateId id, bool is_new) {
        space_.load(id);
        if (space_.is_goal()) {
            set_solved(result_, fdr_, space_.path(id));
            return true;
        }
        Preferred preferred;
        if (is_new || uses_preferred_) {
            pending_.add(space_, id);
            pending_.evaluate(*evaluator_, space_, budget_, result_,
                              uses_preferred_ ? &preferred : nullptr, [](StateId, std::size_t) {});
        }
        const std::int32_t h = space_.node(id).h;
        if (h == kDeadEnd) return false;
        if (h < best_h_) {
            best_h_ = h;
            open_.reward_preferred();
        }
        count_expansion(id);
        for (const std::int32_t op : space_.applicable()) {
            ++result_.generated;
            open_.push(
                h, {id, op},
                std::binary_search(preferred.operators.begin(), preferred.operators.end(), op));
        }
        return false;
    }

    Alternation<Entry> open_;
};

}  // namespace

SearchResult greedy(const SearchTask& task, StateView state, std::string_view heuristic,
                    const GreedyOptions& options, std::int64_t cost_bound, Budget& budget,
                    const ExpansionWatcher* watcher) {
    if (options.deferred)
        return DeferredGreedy(task, heuristic, options.preferred, cost_bound, budget, watcher)
            .run(state);
    return EagerGreedy(task, heuristic, options.preferred, cost_bound, budget, watcher).run(state);
}

}  // namespace bugsieve
