#include "dominance/bounds.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace bugsieve {

namespace {

constexpr std::uint32_t kNobody = 0xffffffff;
constexpr std::size_t kMaxPlanSteps = 100'000;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

}  // namespace

Bounds::Bounds(const SearchTask& task, const DominanceFunction& function,
               const BoundsOptions& options)
    : task_(task),
      fdr_(task.fdr()),
      function_(function),
      options_(options),
      replay_(fdr_, function),
      width_(function.num_factors()),
      registry_(task.packing()),
      packed_(task.packing().words()),
      located_(width_),
      here_(width_),
      pairs_(function.tables()) {
    for (const auto& table : function.tables())
        if (table.size() >= kNowhere) throw NoDominanceError("a factor has too many states");
    find_best();
}

void Bounds::find_best() {
    for (const Square<Distance>& table : function_.tables()) {
        const std::size_t n = table.size();
        Square<Distance> into(n, kNoBoundOf);
        std::vector<Distance> best_into(n, kNoBoundOf), best_from(n, kNoBoundOf);
        for (std::size_t s = 0; s < n; ++s)
            for (std::size_t t = 0; t < n; ++t) {
                const Distance value = into(t, s) = table(s, t);
                best_into[t] = std::max(best_into[t], value);
                best_from[s] = std::max(best_from[s], value);
            }
        into_.push_back(std::move(into));
        best_into_.push_back(std::move(best_into));
        best_from_.push_back(std::move(best_from));
    }
}

std::size_t Bounds::bytes() const {
    return registry_.bytes() + pairs_.bytes() + states_.capacity() * sizeof(Known) +
           places_.capacity() * sizeof(Place) + new_sources_.capacity() * sizeof(StateNumber) +
           records_.capacity() * sizeof(Record) + parents_.capacity() * sizeof(Parent) +
           cases_.capacity() * sizeof(Case) + way_operators_.bytes();
}

void Bounds::apply(std::int32_t op, std::vector<Value>& state) const {
    if (!fdr_.is_applicable(state, at(op)))
        throw std::invalid_argument("operator " + std::to_string(op) + " does not apply there");
    const std::vector<Value> before = state;
    fdr_.for_each_assignment(before, at(op), [&](std::int32_t variable, std::int32_t value) {
        state[at(variable)] = static_cast<Value>(value);
    });
}

std::int64_t Bounds::cost_of(std::span<const std::int32_t> operators) const {
    std::int64_t cost = 0;
    for (const std::int32_t op : operators) cost += fdr_.costs[at(op)];
    return cost;
}

void Bounds::read(StateNumber state, std::vector<Value>& row) const {
    std::vector<Word> packed(packed_.size());
    registry_.read(state, packed.data());
    row.resize(fdr_.num_variables());
    task_.packing().unpack(packed.data(), row);
}

// Writes to here_ in which state of each factor the state is.
void Bounds::locate(StateView state) {
    function_.factored().locate(state, located_);
    for (std::size_t i = 0; i < width_; ++i)
        here_[i] = located_[i] == kRemoved ? kNowhere : static_cast<Place>(located_[i]);
}

// kNone if there is no bound.
std::int64_t Bounds::between(const DominanceTables& tables, std::span<const Place> a,
                             std::span<const Place> b) const {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < width_; ++i) {
        if (a[i] == kNowhere || b[i] == kNowhere) return DominanceFunction::kNone;
        const Distance part = tables[i](a[i], b[i]);
        if (part == kNoBoundOf) return DominanceFunction::kNone;
        sum += part;
    }
    return sum;
}

Bounds::StateNumber Bounds::meet(StateView state) {
    task_.packing().pack(state, packed_.data());
    const auto [id, is_new] = registry_.insert(packed_.data());
    if (!is_new) return id;
    states_.emplace_back();
    locate(state);
    places_.insert(places_.end(), here_.begin(), here_.end());
    pairs_.add(here_);
    if (fdr_.is_goal(state)) lower(id, 0, {kGoal, -1, 0});
    return id;
}

Bounds::Offer Bounds::pull(std::span<const Place> places, std::int64_t limit,
                           StateNumber self) const {
    Offer best;
    std::int64_t most = 0;
    for (std::size_t i = 0; i < width_; ++i) {
        if (places[i] == kNowhere) return best;
        most += best_into_[i][places[i]];
    }
    pairs_.into(places, [&](StateNumber source) {
        const Known& known = states_[source];
        if (!known.is_source || source == self || known.bound - most >= limit) return;
        const std::int64_t sum = between(into_, places, this->places(source));
        if (sum == DominanceFunction::kNone || known.bound - sum >= limit) return;
        // No plan costs less than nothing, even if the comparison says so.
        limit = std::max<std::int64_t>(0, known.bound - sum);
        best = {limit, source};
    });
    return best;
}

Bounds::Offer Bounds::pull_news(StateNumber state) {
    Known& asking = states_[state];
    const std::int64_t seen = asking.seen;
    const auto all = static_cast<std::int64_t>(new_sources_.size());
    asking.seen = all;
    // Looking at all states takes a step for 64 of them.
    if (seen < 0 || all - seen > 16 + static_cast<std::int64_t>(states_.size() / 256))
        return pull(places(state), asking.bound, state);
    Offer best;
    std::int64_t limit = asking.bound;
    for (std::int64_t i = seen; i < all; ++i) {
        const StateNumber source = new_sources_[static_cast<std::size_t>(i)];
        const Known& known = states_[source];
        if (!known.is_source || source == state || known.bound >= kUnbounded) continue;
        const auto here = places(state), there = places(source);
        const std::int64_t sum = between(into_, here, there);
        if (sum == DominanceFunction::kNone || known.bound - sum >= limit) continue;
        limit = std::max<std::int64_t>(0, known.bound - sum);
        best = {limit, source};
    }
    return best;
}

void Bounds::push(StateNumber state) {
    const auto here = places(state);
    const std::int64_t bound = states_[state].bound;
    const std::int32_t record = states_[state].record;
    states_[state].pushed = bound;
    std::int64_t most = 0;
    for (std::size_t i = 0; i < width_; ++i) {
        if (here[i] == kNowhere) return;
        most += best_from_[i][here[i]];
    }
    pairs_.from(here, [&](StateNumber other) {
        if (other == state || bound - most >= states_[other].bound) return;
        const std::int64_t sum = between(function_.tables(), here, places(other));
        if (sum == DominanceFunction::kNone) return;
        const std::int64_t offered = std::max<std::int64_t>(0, bound - sum);
        if (offered < states_[other].bound)
            lower(other, offered, {kCompared, record, static_cast<std::int32_t>(state)});
    });
}

void Bounds::settle() {
    for (const StateNumber state : unsorted_) {
        if (states_[state].is_source) continue;
        const std::int64_t bound = states_[state].bound;
        if (pull(places(state), bound + 1, state).bound > bound) add_source(state);
    }
    unsorted_.clear();
}

void Bounds::add_source(StateNumber state) {
    const auto here = places(state);
    const std::int64_t bound = states_[state].bound;
    // A source is not needed any more if this one tells it as much as it knows itself. By the
    // triangle inequality this one tells the others as much as that did.
    pairs_.from(here, [&](StateNumber other) {
        if (!states_[other].is_source) return;
        const std::int64_t sum = between(function_.tables(), here, places(other));
        if (sum == DominanceFunction::kNone || bound - sum > states_[other].bound) return;
        states_[other].is_source = false;
        --num_sources_;
    });
    states_[state].is_source = true;
    ++num_sources_;
    new_sources_.push_back(state);
}

void Bounds::lower(StateNumber first, std::int64_t bound, const Record& record) {
    struct Change {
        StateNumber state;
        std::int64_t bound;
        Record record;
    };
    std::vector<Change> open{{first, bound, record}};
    while (!open.empty()) {
        const Change change = open.back();
        open.pop_back();
        Known& known = states_[change.state];
        if (change.bound >= known.bound) continue;
        known.bound = change.bound;
        known.record = static_cast<std::int32_t>(records_.size());
        records_.push_back(change.record);
        // A state that was told by another one is not needed beside it.
        if (known.is_source) --num_sources_;
        known.is_source = false;
        if (change.record.kind != kCompared) unsorted_.push_back(change.state);
        note_events(change.state);
        for (std::int32_t p = known.last_parent; p >= 0; p = parents_[at(p)].previous) {
            const Parent& parent = parents_[at(p)];
            open.push_back({parent.state,
                            change.bound + fdr_.costs[at(parent.op)],
                            {parent.op, known.record, 0}});
        }
    }
}

void Bounds::note_events(StateNumber state) {
    for (std::int32_t c = states_[state].last_case; c >= 0; c = cases_[at(c)].previous) {
        Case& item = cases_[at(c)];
        if (item.has_event || states_[state].bound >= item.policy_cost) continue;
        item.has_event = true;
        events_.push_back(c);
    }
}

std::vector<BoundEvent> Bounds::take_events() {
    std::ranges::sort(events_);
    std::vector<BoundEvent> events;
    for (const std::int32_t c : events_) {
        cases_[at(c)].has_event = false;
        events.push_back({c, bound(c)});
    }
    events_.clear();
    return events;
}

void Bounds::look_at(StateNumber state) {
    settle();
    const Offer offer = pull_news(state);
    if (offer.bound < states_[state].bound)
        lower(state, offer.bound,
              {kCompared, states_[offer.from].record, static_cast<std::int32_t>(offer.from)});
    if (states_[state].bound >= states_[state].pushed) return;
    if (states_[state].is_source || !is_told(state))
        push(state);
    else
        states_[state].pushed = states_[state].bound;
}

// Returns true if the state has its bound from a source that has told the others already.
bool Bounds::is_told(StateNumber state) const {
    const std::int64_t bound = states_[state].bound;
    const Offer offer = pull(places(state), bound + 1, state);
    return offer.bound <= bound && states_[offer.from].pushed == states_[offer.from].bound;
}

void Bounds::learn(StateView state, std::span<const std::int32_t> run, std::int64_t policy_cost,
                   Interrupts& interrupts) {
    std::vector<std::vector<Value>> rows{{state.begin(), state.end()}};
    for (const std::int32_t op : run) {
        rows.push_back(rows.back());
        apply(op, rows.back());
    }
    StateNumber next = kNobody;
    for (std::size_t i = rows.size(); i-- > 0;) {
        interrupts.check();
        const StateNumber here = meet(rows[i]);
        if (next != kNobody && next != here && states_[here].step != run[i]) {
            states_[here].step = run[i];
            parents_.push_back({states_[next].last_parent, here, run[i]});
            states_[next].last_parent = static_cast<std::int32_t>(parents_.size()) - 1;
            if (states_[next].bound < kUnbounded)
                lower(here, states_[next].bound + fdr_.costs[at(run[i])],
                      {run[i], states_[next].record, 0});
        }
        if (i == 0) {
            cases_.push_back({here, states_[here].last_case, policy_cost, false});
            states_[here].last_case = static_cast<std::int32_t>(cases_.size()) - 1;
            note_events(here);
        }
        look_at(here);
        next = here;
    }
    settle();
}

template <class Way>
bool Bounds::consider(StateView end, std::int64_t cost, Way way) {
    const StateNumber start = last_state();
    const std::int64_t best = states_[start].bound;
    task_.packing().pack(end, packed_.data());
    const StateId known = registry_.find(packed_.data());
    if (known == start) return false;
    std::int64_t bound = kUnbounded;
    Record record{kGoal, -1, 0};
    std::int32_t source = -1;
    bool helps = false;
    if (known != kNoState) {
        bound = states_[known].bound;
        source = states_[known].record;
    } else if (fdr_.is_goal(end)) {
        bound = 0;
    }
    locate(end);
    // An unknown state matters only for what it says of the case.
    const std::int64_t limit =
        known != kNoState || best == kUnbounded ? bound : std::min(bound, best - cost);
    const Offer offer = pull(here_, limit, known == kNoState ? kNobody : known);
    if (offer.bound < bound) {
        bound = offer.bound;
        record = {kCompared, states_[offer.from].record, static_cast<std::int32_t>(offer.from)};
        if (known != kNoState) {
            lower(known, bound, record);
            source = states_[known].record;
            cost = cost_of(way());  // its cost when the way is followed again
            helps = true;
        }
    }
    if (bound < kUnbounded && cost + bound < states_[start].bound) {
        const std::vector<std::int32_t> operators = way();
        if (known == kNoState) {
            source = static_cast<std::int32_t>(records_.size());
            records_.push_back(record);
        }
        way_operators_.items.insert(way_operators_.items.end(), operators.begin(),
                                    operators.end());
        way_operators_.close();
        lower(start, cost_of(operators) + bound,
              {kWay, source, static_cast<std::int32_t>(way_operators_.size()) - 1});
        helps = true;
    }
    if (!helps) return false;
    ways_.push_back(way());
    settle();
    return true;
}

SearchResult Bounds::look_ahead(std::int64_t cost_bound, Interrupts& interrupts) {
    std::vector<Value> start;
    read(last_state(), start);
    const Limits limits{options_.lookahead, -1, options_.max_bytes};
    Budget budget(limits, interrupts);
    const ExpansionWatcher watcher = [&](StateView state, std::int64_t cost, const PathTo& path) {
        consider(state, cost, path);
    };
    SearchResult result = greedy(task_, start, "hff", {}, cost_bound, budget, &watcher);
    if (result.status == Status::kSolved) {
        std::vector<Value> end = start;
        for (const std::int32_t op : result.plan) apply(op, end);
        consider(end, result.cost, [&] { return result.plan; });
    }
    return result;
}

bool Bounds::follow(std::span<const std::int32_t> way, Interrupts& interrupts) {
    interrupts.check();
    std::vector<Value> end;
    read(last_state(), end);
    for (const std::int32_t op : way) apply(op, end);
    return consider(end, cost_of(way),
                    [&] { return std::vector<std::int32_t>(way.begin(), way.end()); });
}

void Bounds::spread(Interrupts& interrupts) {
    interrupts.check();
    look_at(last_state());
    settle();
}

std::optional<std::vector<std::int32_t>> Bounds::plan(std::int32_t c, Interrupts& interrupts) {
    const StateNumber first = cases_.at(index(c)).state;
    if (states_[first].bound == kUnbounded) return std::nullopt;
    // Down to the goal: the states at which each record speaks, and then the plan back up.
    std::vector<std::vector<Value>> rows(1);
    read(first, rows[0]);
    std::vector<std::int32_t> chain;
    for (std::int32_t r = states_[first].record; r >= 0; r = records_[at(r)].source) {
        const Record& record = records_[at(r)];
        chain.push_back(r);
        std::vector<Value> row = rows.back();
        if (record.kind >= 0) apply(record.kind, row);
        if (record.kind == kCompared) read(static_cast<StateNumber>(record.detail), row);
        if (record.kind == kWay)
            for (const std::int32_t op : way_operators_[at(record.detail)]) apply(op, row);
        rows.push_back(std::move(row));
    }
    std::vector<std::int32_t> plan;
    for (std::size_t i = chain.size(); i-- > 0;) {
        const Record& record = records_[at(chain[i])];
        if (record.kind >= 0) plan.insert(plan.begin(), record.kind);
        if (record.kind == kWay) {
            const auto way = way_operators_[at(record.detail)];
            plan.insert(plan.begin(), way.begin(), way.end());
        }
        if (record.kind == kCompared) {
            auto answer = replay_.plan(rows[i + 1], plan, rows[i], kMaxPlanSteps, interrupts);
            if (!answer) return std::nullopt;
            plan = std::move(*answer);
        }
        if (plan.size() > kMaxPlanSteps) return std::nullopt;
    }
    return plan;
}

}  // namespace bugsieve
