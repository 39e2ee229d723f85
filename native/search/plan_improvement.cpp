#include "search/plan_improvement.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>
#include <queue>
#include <utility>

#include "search/action_elimination.h"
#include "search/search_space.h"

namespace bugsieve {

namespace {

using Plan = std::vector<std::int32_t>;

constexpr std::size_t kFirstLimit = 16;  // states of a neighbourhood

class PlanImprovement {
  public:
    PlanImprovement(const SearchTask& task, StateView start, Budget& budget)
        : fdr_(task.fdr()), start_(start), space_(task), budget_(budget) {
        space_.insert_start(start);
        add_places();
    }

    SearchResult run(Plan plan) {
        take_up(std::move(plan));
        std::optional<Plan> without_loops = find_cheaper_plan();
        take_up(without_actions(without_loops ? std::move(*without_loops) : result_.plan));
        for (std::size_t limit = kFirstLimit;;) {
            const bool is_spent = grow(limit) != Spent::kNothing;
            // Nothing is left to add, or to spend: what is known by now is searched a last time.
            const bool is_last = is_spent || next_ == queue_.size();
            std::optional<Plan> cheaper = find_cheaper_plan();
            if (is_last) {
                if (cheaper) set_solved(result_, fdr_, std::move(*cheaper));
                return std::move(result_);
            }
            if (cheaper)
                take_up(without_actions(std::move(*cheaper)));
            else
                limit *= 2;
        }
    }

  private:
    struct Edge {
        StateId to;
        std::int32_t op;
    };
    enum class Kind : std::uint8_t { kUnexpanded, kExpanded, kGoal };
    struct Place {
        std::size_t first_edge = 0;
        std::uint32_t num_edges = 0;
        std::uint32_t neighbourhood = 0;  // the last one that has the state
        std::int32_t plan_step = -1;      // the first one from here, if the plan goes through here
        Kind kind = Kind::kUnexpanded;
    };

    Plan without_actions(Plan plan) {
        return eliminate_actions(fdr_, start_, std::move(plan), budget_);
    }

    // Makes the plan the best known one, and the centre of a new neighbourhood.
    void take_up(Plan plan) {
        for (const StateId id : plan_states_) places_[id].plan_step = -1;
        plan_states_.assign(1, kStart);
        for (const std::int32_t op : plan) {
            const StateId id = plan_states_.back();
            space_.load(id);
            plan_states_.push_back(space_.insert_child(id, op).id);
            add_places();
        }
        next_step_.resize(plan.size());
        for (std::size_t step = plan.size(); step-- > 0;)
            next_step_[step] = std::exchange(places_[plan_states_[step]].plan_step,
                                             static_cast<std::int32_t>(step));
        set_solved(result_, fdr_, std::move(plan));
        ++neighbourhood_;
        queue_.clear();
        next_ = members_ = 0;
        for (const StateId id : plan_states_) enqueue(id);
    }

    void add_places() {
        for (auto id = static_cast<StateId>(places_.size()); id < space_.size(); ++id) {
            places_.emplace_back();
            if (space_.is_goal(id)) places_.back().kind = Kind::kGoal;
        }
    }

    void enqueue(StateId id) {
        if (places_[id].neighbourhood == neighbourhood_) return;
        places_[id].neighbourhood = neighbourhood_;
        queue_.push_back(id);
    }

    // Adds states to the neighbourhood until it has `limit` of them or there are no more. Goal
    // states do not count: plans need not go beyond them.
    Spent grow(std::size_t limit) {
        for (; next_ < queue_.size() && members_ < limit; ++next_) {
            const StateId id = queue_[next_];
            if (places_[id].kind == Kind::kGoal) continue;
            if (places_[id].kind == Kind::kUnexpanded) {
                const Spent spent = budget_.spent(result_.expanded, bytes());
                if (spent != Spent::kNothing) return spent;
                if (budget_.seconds_left() < seconds_to_search()) return Spent::kTime;
                expand(id);
            }
            ++members_;
            for (const Edge& edge : edges_of(places_[id])) enqueue(edge.to);
        }
        return Spent::kNothing;
    }

    void expand(StateId id) {
        ++result_.expanded;
        const std::size_t first = edges_.size();
        space_.load(id);
        for (const std::int32_t op : space_.applicable()) {
            ++result_.generated;
            const StateId child = space_.insert_child(id, op).id;
            if (child != id) edges_.push_back({child, op});
        }
        add_places();
        places_[id].first_edge = first;
        places_[id].num_edges = static_cast<std::uint32_t>(edges_.size() - first);
        places_[id].kind = Kind::kExpanded;
    }

    std::span<const Edge> edges_of(const Place& place) const {
        return std::span(edges_).subspan(place.first_edge, place.num_edges);
    }

    std::optional<Plan> find_cheaper_plan() {
        const auto begin = Interrupts::Clock::now();
        std::optional<Plan> found = search_known_transitions();
        const std::chrono::duration<double> taken = Interrupts::Clock::now() - begin;
        if (edges_.size() > 1000)
            seconds_per_edge_ = taken.count() / static_cast<double>(edges_.size());
        return found;
    }

    // Dijkstra's algorithm over all known transitions, those of the plan included; among equals,
    // the state that was met first goes first. Finds plans cheaper than the best one only.
    std::optional<Plan> search_known_transitions() {
        for (StateId id = 0; id < space_.size(); ++id) space_.node(id).cost = kNoBound;
        space_.node(kStart).cost = 0;
        using Item = std::pair<std::int64_t, StateId>;
        std::priority_queue<Item, std::vector<Item>, std::greater<>> open;
        open.emplace(0, kStart);
        for (std::size_t taken = 0; !open.empty(); ++taken) {
            const auto [cost, id] = open.top();
            open.pop();
            if (cost != space_.node(id).cost) continue;
            if (places_[id].kind == Kind::kGoal) return space_.path(id);
            if (taken % 256 == 0 && budget_.is_time_up()) return std::nullopt;
            for_each_step(id, [&, from = id, so_far = cost](StateId to, std::int32_t op) {
                Node& node = space_.node(to);
                const std::int64_t through = so_far + fdr_.costs[static_cast<std::size_t>(op)];
                if (through >= std::min(node.cost, result_.cost)) return;
                node.cost = through;
                node.parent = from;
                node.op = op;
                if (leads_on(places_[to])) open.emplace(through, to);
            });
        }
        return std::nullopt;
    }

    template <class Visit>
    void for_each_step(StateId id, Visit visit) {
        const Place& place = places_[id];
        if (place.kind == Kind::kExpanded) {
            for (const Edge& edge : edges_of(place)) visit(edge.to, edge.op);
            return;
        }
        for (std::int32_t at = place.plan_step; at >= 0;) {
            const auto step = static_cast<std::size_t>(at);
            visit(plan_states_[step + 1], result_.plan[step]);
            at = next_step_[step];
        }
    }

    static bool leads_on(const Place& place) {
        return place.kind != Kind::kUnexpanded || place.plan_step >= 0;
    }

    // The time that a search of the graph will take, so that there is time for it when the rest is
    // spent.
    double seconds_to_search() const {
        return 1.5 * seconds_per_edge_ * static_cast<double>(edges_.size());
    }

    std::size_t bytes() const {
        const auto expanded = static_cast<std::size_t>(result_.expanded);
        return space_.bytes() + places_.capacity() * sizeof(Place) +
               edges_.capacity() * sizeof(Edge) + queue_.capacity() * sizeof(StateId) +
               expanded * sizeof(std::pair<std::int64_t, StateId>);  // open list of a search
    }

    static constexpr StateId kStart = 0;

    const FdrTask& fdr_;
    StateView start_;
    SearchSpace space_;
    Budget& budget_;
    std::vector<Place> places_;  // of each state
    std::vector<Edge> edges_;    // of the expanded states, one after the other
    std::vector<StateId> plan_states_;
    std::vector<std::int32_t> next_step_;  // of each step: the next one from the same state, or -1
    std::vector<StateId> queue_;  // the neighbourhood, and from next_ on the states around it
    std::size_t next_ = 0;
    std::size_t members_ = 0;
    std::uint32_t neighbourhood_ = 0;
    double seconds_per_edge_ = 1e-7;
    SearchResult result_;  // holds the best plan
};

}  // namespace

SearchResult improve_plan(const SearchTask& task, StateView state, std::vector<std::int32_t> plan,
                          Budget& budget) {
    return PlanImprovement(task, state, budget).run(std::move(plan));
}

}  // namespace bugsieve
