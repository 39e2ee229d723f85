#include "dominance/bounds.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace bugsieve {

namespace {

constexpr std::uint16_t kNowhere = 0xffff;  // where a factor's state was pruned
constexpr std::uint32_t kNobody = 0xffffffff;
constexpr std::size_t kMaxPlanSteps = 100'000;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

// The parts of a graph that are not connected, by number.
class Parts {
  public:
    explicit Parts(std::size_t size) : above_(size) {
        for (std::size_t i = 0; i < size; ++i) above_[i] = i;
    }
    std::size_t find(std::size_t i) {
        while (above_[i] != i) i = above_[i] = above_[above_[i]];
        return i;
    }
    void join(std::size_t i, std::size_t j) { above_[find(i)] = find(j); }

  private:
    std::vector<std::size_t> above_;
};

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
      here_(width_) {
    for (const auto& table : function.tables())
        if (table.size() >= kNowhere) throw NoDominanceError("a factor has too many states");
    find_components();
}

void Bounds::find_components() {
    for (const Square<Distance>& table : function_.tables()) {
        const std::size_t n = table.size();
        Parts parts(n);
        Square<Distance> into(n, kNoBoundOf);
        std::vector<Distance> best_into(n, kNoBoundOf), best_from(n, kNoBoundOf);
        for (std::size_t s = 0; s < n; ++s)
            for (std::size_t t = 0; t < n; ++t) {
                const Distance value = table(s, t);
                if (value == kNoBoundOf) continue;
                parts.join(s, t);
                into(t, s) = value;
                best_into[t] = std::max(best_into[t], value);
                best_from[s] = std::max(best_from[s], value);
            }
        std::vector<std::uint16_t> components(n);
        for (std::size_t s = 0; s < n; ++s)
            components[s] = static_cast<std::uint16_t>(parts.find(s));
        components_.push_back(std::move(components));
        into_.push_back(std::move(into));
        best_into_.push_back(std::move(best_into));
        best_from_.push_back(std::move(best_from));
    }
}

std::size_t Bounds::num_sources() const {
    std::size_t count = 0;
    for (const auto& [key, bucket] : buckets_) count += bucket.sources.size();
    return count;
}

std::size_t Bounds::bytes() const {
    std::size_t bytes = registry_.bytes() + states_.capacity() * sizeof(Known) +
                        places_.capacity() * sizeof(places_[0]) +
                        records_.capacity() * sizeof(Record) +
                        parents_.capacity() * sizeof(Parent) + cases_.capacity() * sizeof(Case) +
                        way_operators_.bytes();
    for (const auto& [key, bucket] : buckets_)
        bytes += sizeof(bucket) + 32 +
                 (bucket.members.capacity() + bucket.sources.capacity()) * sizeof(StateNumber);
    return bytes;
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
        here_[i] = located_[i] == kRemoved ? kNowhere : static_cast<std::uint16_t>(located_[i]);
}

// Equal keys of different buckets would only cost time: they would be one bucket.
std::optional<std::uint64_t> Bounds::bucket_key(std::span<const std::uint16_t> places) const {
    std::uint64_t key = 0;
    for (std::size_t i = 0; i < width_; ++i) {
        if (places[i] == kNowhere) return std::nullopt;
        key = (key ^ components_[i][places[i]]) * 0x9e3779b97f4a7c15u;
        key ^= key >> 29;
    }
    return key;
}

const Bounds::Bucket* Bounds::find_bucket(std::span<const std::uint16_t> places) const {
    const auto key = bucket_key(places);
    if (!key) return nullptr;
    const auto found = buckets_.find(*key);
    return found == buckets_.end() ? nullptr : &found->second;
}

Bounds::StateNumber Bounds::meet(StateView state) {
    task_.packing().pack(state, packed_.data());
    const auto [id, is_new] = registry_.insert(packed_.data());
    if (!is_new) return id;
    states_.emplace_back();
    locate(state);
    places_.insert(places_.end(), here_.begin(), here_.end());
    if (const auto key = bucket_key(here_)) buckets_[*key].members.push_back(id);
    ++changes_;
    if (fdr_.is_goal(state)) lower(id, 0, {kGoal, -1, 0});
    return id;
}

Bounds::Offer Bounds::pull(std::span<const std::uint16_t> places, std::int64_t limit,
                           StateNumber self) const {
    Offer best;
    const Bucket* bucket = find_bucket(places);
    if (!bucket) return best;
    std::int64_t most = 0;
    for (std::size_t i = 0; i < width_; ++i) most += best_into_[i][places[i]];
    for (const StateNumber source : bucket->sources) {
        const std::int64_t bound = states_[source].bound;
        if (bound - most >= limit) break;  // and so are all that follow
        if (source == self) continue;
        const std::span<const std::uint16_t> there = this->places(source);
        std::int64_t sum = 0;
        bool is_finite = true;
        for (std::size_t i = 0; i < width_; ++i) {
            const Distance part = into_[i](places[i], there[i]);
            if (part == kNoBoundOf) {
                is_finite = false;
                break;
            }
            sum += part;
        }
        if (!is_finite || bound - sum >= limit) continue;
        // No plan costs less than nothing, whatever the comparison says.
        limit = std::max<std::int64_t>(0, bound - sum);
        best = {limit, source};
    }
    return best;
}

void Bounds::push(StateNumber state) {
    const auto here = places(state);
    const std::int64_t bound = states_[state].bound;
    const std::int32_t record = states_[state].record;
    states_[state].pushed = bound;
    const Bucket* bucket = find_bucket(here);
    if (!bucket) return;
    std::int64_t most = 0;
    for (std::size_t i = 0; i < width_; ++i) most += best_from_[i][here[i]];
    for (const StateNumber other : bucket->members) {
        if (bound - most >= states_[other].bound || other == state) continue;
        const auto there = places(other);
        std::int64_t sum = 0;
        bool is_finite = true;
        for (std::size_t i = 0; i < width_; ++i) {
            const Distance part = function_.tables()[i](here[i], there[i]);
            if (part == kNoBoundOf) {
                is_finite = false;
                break;
            }
            sum += part;
        }
        const std::int64_t offered = std::max<std::int64_t>(0, bound - sum);
        if (is_finite && offered < states_[other].bound)
            lower(other, offered, {kCompared, record, static_cast<std::int32_t>(state)});
    }
}

void Bounds::settle() {
    for (std::size_t i = 0; i < unsorted_.size(); ++i) {
        const StateNumber state = unsorted_[i];
        if (states_[state].is_source) continue;
        const auto key = bucket_key(places(state));
        if (!key) continue;
        const std::int64_t bound = states_[state].bound;
        if (pull(places(state), bound + 1, state).bound <= bound) continue;
        add_source(state, buckets_[*key]);
    }
    unsorted_.clear();
}

void Bounds::add_source(StateNumber state, Bucket& bucket) {
    const auto here = places(state);
    const std::int64_t bound = states_[state].bound;
    // Whoever it tells as much as they know themselves is of no use any more: by the triangle
    // inequality it tells the others as much as they did.
    std::erase_if(bucket.sources, [&](StateNumber other) {
        const auto there = places(other);
        std::int64_t sum = 0;
        for (std::size_t i = 0; i < width_; ++i) {
            const Distance part = function_.tables()[i](here[i], there[i]);
            if (part == kNoBoundOf) return false;
            sum += part;
        }
        if (bound - sum > states_[other].bound) return false;
        states_[other].is_source = false;
        return true;
    });
    const auto place = std::ranges::lower_bound(
        bucket.sources, std::pair(bound, state), {},
        [&](StateNumber other) { return std::pair(states_[other].bound, other); });
    bucket.sources.insert(place, state);
    states_[state].is_source = true;
}

void Bounds::remove_source(StateNumber state, std::int64_t bound) {
    Bucket& bucket = buckets_[*bucket_key(places(state))];
    const auto order = [&](StateNumber other) {
        return std::pair(other == state ? bound : states_[other].bound, other);
    };
    bucket.sources.erase(
        std::ranges::lower_bound(bucket.sources, std::pair(bound, state), {}, order));
    states_[state].is_source = false;
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
        const std::int64_t before = known.bound;
        known.bound = change.bound;
        known.record = static_cast<std::int32_t>(records_.size());
        records_.push_back(change.record);
        ++changes_;
        if (known.is_source) remove_source(change.state, before);
        // Who was told by another is of no use beside that one.
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
    if (states_[state].looked_at == changes_) return;
    settle();
    const std::int64_t own = states_[state].bound;
    const auto here = places(state);
    const Offer offer = pull(here, own, state);
    if (offer.bound < own)
        lower(state, offer.bound,
              {kCompared, states_[offer.from].record, static_cast<std::int32_t>(offer.from)});
    if (states_[state].is_source && states_[state].bound < states_[state].pushed) push(state);
    states_[state].looked_at = changes_;
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
