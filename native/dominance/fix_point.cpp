#include "dominance/fix_point.h"

#include <algorithm>
#include <map>
#include <set>

#include "heuristics/monotone_queue.h"

namespace bugsieve {

namespace {

std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }
std::int32_t number(std::size_t index) { return static_cast<std::int32_t>(index); }

struct Worth {
    std::int32_t group;
    Distance worth;
    friend auto operator<=>(const Worth&, const Worth&) = default;
};
// Sorted by group; groups that are not in it are worth nothing at all.
using Row = std::vector<Worth>;

// max over u of values[u] - costs[u].
[[gnu::always_inline]] inline Distance best_in(const Distance* values, const Distance* costs,
                                               std::size_t size) {
    Distance best = kNoBoundOf;
    for (std::size_t u = 0; u < size; ++u) best = std::max(best, values[u] - costs[u]);
    return best;
}
// Returns true if some a[i] < b[i].
[[gnu::always_inline]] inline bool is_below(const Distance* a, const Distance* b,
                                            std::size_t size) {
    Distance any = 0;
    for (std::size_t i = 0; i < size; ++i) any |= a[i] < b[i];
    return any != 0;
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] Distance best_avx2(const Distance* v, const Distance* c, std::size_t n) {
    return best_in(v, c, n);
}
[[gnu::target("avx2")]] bool is_below_avx2(const Distance* a, const Distance* b, std::size_t n) {
    return is_below(a, b, n);
}
const bool kHasAvx2 = __builtin_cpu_supports("avx2") != 0;
#else
constexpr bool kHasAvx2 = false;
Distance best_avx2(const Distance* v, const Distance* c, std::size_t n) {
    return best_in(v, c, n);
}
bool is_below_avx2(const Distance* a, const Distance* b, std::size_t n) {
    return is_below(a, b, n);
}
#endif

Distance best_of(const Distance* values, const Distance* costs, std::size_t size) {
    return kHasAvx2 ? best_avx2(values, costs, size) : best_in(values, costs, size);
}
bool any_below(const Distance* a, const Distance* b, std::size_t size) {
    return kHasAvx2 ? is_below_avx2(a, b, size) : is_below(a, b, size);
}

// Labels of equal cost that do the same in all factors but one.
struct LabelClass {
    Distance cost = 0;
    std::vector<std::pair<std::int32_t, std::int32_t>> elsewhere;  // factor, group; no identities
    std::vector<std::int32_t> groups;                              // in the one factor
    bool is_source = false;  // one of them moves the factor or asks something of it
};

// The comparison of the labels of a factor, in the eyes of all others: D^L of the note.
struct Comparison {
    std::vector<Row> by_group;          // what answers to a group lose in this factor at most
    std::vector<Distance> of_identity;  // by_group[kIdentity], dense
};

class FixPoint {
  public:
    FixPoint(const FactoredTask& task, const FactorWalks& walks, Distance floor, WorkMeter& meter,
             FixPointCounts& counts)
        : task_(task), walks_(walks), floor_(floor), meter_(meter), counts_(counts) {
        for (std::size_t i = 0; i < task.factors().size(); ++i) factors_.emplace_back(start(i));
    }

    DominanceTables run() {
        if (factors_.size() > 1) iterate();
        DominanceTables tables;
        for (State& state : factors_) tables.push_back(std::move(state.table));
        return tables;
    }

  private:
    // The transitions into a state that share a group.
    struct Incoming {
        std::int32_t group;
        std::vector<std::int32_t> sources;
    };
    struct State {
        Square<Distance> table;
        std::optional<WalkGraph> steps_back;  // none if there are no walks
        std::vector<LabelClass> classes;
        std::vector<std::vector<Incoming>> incoming;                            // by state
        std::vector<std::vector<std::pair<std::int32_t, std::int32_t>>> moves;  // group, target
        std::vector<Row> rows;                                                  // distinct ones
        std::vector<std::vector<std::int32_t>> rows_of;                         // by group
        Comparison comparison;
    };

    State start(std::size_t index) {
        const Factor& factor = task_.factors()[index];
        const std::size_t n = factor.num_states();
        const Square<Distance>& walk = walks_.costs(index);
        State state;
        state.table = Square<Distance>(n, 0);
        for (std::size_t t = 0; t < n; ++t) {
            Distance to_goal = kFarAway;
            for (std::size_t g = 0; g < n; ++g)
                if (factor.is_goal[g]) to_goal = std::min(to_goal, walk(t, g));
            for (std::size_t s = 0; s < n; ++s) {
                if (s == t) continue;
                Distance& value = state.table(s, t);
                value = factor.goal_distance[s] - factor.goal_distance[t];
                if (task_.factors().size() == 1) continue;  // these are the true differences
                if (factor.is_goal[s]) value = std::min(value, clipped(-to_goal));
                if (value < floor_) value = clipped(-walk(t, s));
            }
        }
        meter_.spend(n * n);
        state.incoming.resize(n);
        state.moves.resize(n);
        for (std::size_t g = 1; g < factor.groups.size(); ++g) {
            for (const FactorTransition& t : factor.groups[g]) {
                auto& into = state.incoming[at(t.to)];
                if (into.empty() || into.back().group != number(g))
                    into.push_back({number(g), {}});
                into.back().sources.push_back(t.from);
                state.moves[at(t.from)].emplace_back(number(g), t.to);
            }
        }
        if (walks_.num_stages() > 0)
            state.steps_back.emplace(factor, walks_.steps(walks_.num_stages() - 1, index), true);
        find_classes(index, state);
        return state;
    }

    static Distance clipped(Distance value) { return value < kLeastFinite ? kNoBoundOf : value; }

    void find_classes(std::size_t index, State& state) {
        std::map<std::vector<std::int32_t>, std::size_t> numbers;
        const auto add = [&](Distance cost, const auto& elsewhere, std::int32_t group) {
            std::vector<std::int32_t> key{cost};
            for (const auto& [factor, there] : elsewhere) {
                key.push_back(factor);
                key.push_back(there);
            }
            const auto [place, is_new] = numbers.try_emplace(key, state.classes.size());
            if (is_new) state.classes.push_back({cost, elsewhere, {}, false});
            LabelClass& found = state.classes[place->second];
            found.groups.push_back(group);
            found.is_source = found.is_source || group != kIdentity;
        };
        std::vector<std::pair<std::int32_t, std::int32_t>> elsewhere;
        add(0, elsewhere, kIdentity);  // to do nothing is an answer too
        for (std::size_t l = 0; l < task_.labels().size(); ++l) {
            if (!task_.is_alive(l)) continue;
            elsewhere.clear();
            for (const std::int32_t j : task_.touched(l))
                if (at(j) != index) elsewhere.emplace_back(j, task_.factors()[at(j)].group_of[l]);
            add(task_.labels()[l].cost, elsewhere, task_.factors()[index].group_of[l]);
        }
        for (LabelClass& item : state.classes) {
            std::ranges::sort(item.groups);
            const auto rest = std::ranges::unique(item.groups);
            item.groups.erase(rest.begin(), rest.end());
        }
    }

    void iterate() {
        for (std::size_t i = 0; i < factors_.size(); ++i) compare(i);
        for (bool has_changed = true; has_changed;) {
            has_changed = false;
            ++counts_.rounds;
            for (std::size_t i = 0; i < factors_.size(); ++i) {
                if (!find_rows(i)) continue;
                if (!lower(i)) continue;
                compare(i);
                has_changed = true;
            }
        }
    }

    // Computes the loss of each answer to each group here, given the table as it is.
    void compare(std::size_t index) {
        const Factor& factor = task_.factors()[index];
        State& state = factors_[index];
        const std::size_t groups = factor.groups.size(), n = factor.num_states();
        state.comparison.by_group.assign(groups, {});
        std::vector<Distance> least(groups, kFarAway);
        std::vector<std::size_t> seen(groups, 0);
        std::vector<std::int32_t> met;
        const auto note = [&](std::int32_t group, Distance value) {
            if (seen[at(group)]++ == 0) met.push_back(group);
            least[at(group)] = std::min(least[at(group)], value);
        };
        for (std::size_t g = 0; g < groups; ++g) {
            std::size_t work = 0;
            const auto look = [&](std::int32_t from, std::int32_t to) {
                note(kIdentity, state.table(at(to), at(from)));
                for (const auto& [group, target] : state.moves[at(from)])
                    note(group, state.table(at(to), at(target)));
                work += state.moves[at(from)].size() + 1;
            };
            if (g == kIdentity)
                for (std::size_t x = 0; x < n; ++x) look(number(x), number(x));
            for (const FactorTransition& t : factor.groups[g]) look(t.from, t.to);
            meter_.spend(work);
            std::ranges::sort(met);
            Row& row = state.comparison.by_group[g];
            for (const std::int32_t group : met) {
                if (seen[at(group)] == factor.size_of(number(g)) &&
                    least[at(group)] >= kLeastFinite)
                    row.push_back({group, least[at(group)]});
                least[at(group)] = kFarAway;
                seen[at(group)] = 0;
            }
            met.clear();
        }
        state.comparison.of_identity.assign(groups, kNoBoundOf);
        for (const Worth& item : state.comparison.by_group[kIdentity])
            state.comparison.of_identity[at(item.group)] = item.worth;
    }

    // The worth of answers by class, for one class at a time.
    class Answers {
      public:
        Answers(const std::vector<State>& factors, std::size_t index, WorkMeter& meter)
            : factors_(factors), state_(factors[index]), meter_(meter) {
            rows_.resize(factors.size());
            const auto& classes = state_.classes;
            for (std::size_t c = 0; c < classes.size(); ++c) {
                // It answers only those classes that touch all factors where it fails to be free.
                const std::pair<std::int32_t, std::int32_t>* key = nullptr;
                for (const auto& place : classes[c].elsewhere)
                    if (of_identity(place) == kNoBoundOf) key = &place;
                if (key)
                    bound_[*key].push_back(number(c));
                else
                    free_.push_back(number(c));
            }
        }

        Row row(const LabelClass& asked, std::size_t groups) {
            best_.assign(groups, kNoBoundOf);
            for (const auto& [factor, group] : asked.elsewhere) {
                const Comparison& there = factors_[at(factor)].comparison;
                rows_[at(factor)].assign(there.of_identity.size(), kNoBoundOf);
                for (const Worth& item : there.by_group[at(group)])
                    rows_[at(factor)][at(item.group)] = item.worth;
            }
            for (const std::int32_t answer : free_) consider(asked, answer);
            for (const auto& [factor, group] : asked.elsewhere)
                for (const Worth& item : factors_[at(factor)].comparison.by_group[at(group)]) {
                    const auto found = bound_.find({factor, item.group});
                    if (found == bound_.end()) continue;
                    for (const std::int32_t answer : found->second) consider(asked, answer);
                }
            for (const auto& place : asked.elsewhere) rows_[at(place.first)].clear();
            Row row;
            for (std::size_t g = 0; g < groups; ++g)
                if (best_[g] >= kLeastFinite) row.push_back({number(g), best_[g]});
            return row;
        }

      private:
        Distance of_identity(const std::pair<std::int32_t, std::int32_t>& place) const {
            return factors_[at(place.first)].comparison.of_identity[at(place.second)];
        }
        void consider(const LabelClass& asked, std::int32_t answer) {
            const LabelClass& other = state_.classes[at(answer)];
            meter_.spend(1 + other.elsewhere.size());
            std::int64_t worth = asked.cost - other.cost;
            std::size_t shared = 0;
            for (const auto& place : other.elsewhere) {
                const std::vector<Distance>& row = rows_[at(place.first)];
                const Distance value = row.empty() ? of_identity(place) : row[at(place.second)];
                if (value == kNoBoundOf) return;
                shared += row.empty() ? 0 : 1;
                worth += value;
            }
            if (shared < asked.elsewhere.size())
                for (const auto& [factor, group] : asked.elsewhere) {
                    const auto touches = [&](const auto& place) { return place.first == factor; };
                    if (std::ranges::any_of(other.elsewhere, touches)) continue;
                    const Distance value = rows_[at(factor)][kIdentity];
                    if (value == kNoBoundOf) return;
                    worth += value;
                }
            if (worth < kLeastFinite) return;
            for (const std::int32_t group : other.groups)
                best_[at(group)] = std::max(best_[at(group)], static_cast<Distance>(worth));
        }

        const std::vector<State>& factors_;
        const State& state_;
        WorkMeter& meter_;
        std::vector<std::int32_t> free_;
        std::map<std::pair<std::int32_t, std::int32_t>, std::vector<std::int32_t>> bound_;
        std::vector<std::vector<Distance>> rows_;  // by factor: the asked class's row, dense
        std::vector<Distance> best_;
    };

    // Sets the rows of all groups; whether they are others than before.
    bool find_rows(std::size_t index) {
        State& state = factors_[index];
        const std::size_t groups = task_.factors()[index].groups.size();
        Answers answers(factors_, index, meter_);
        std::vector<std::set<Row>> found(groups);
        for (const LabelClass& asked : state.classes) {
            if (!asked.is_source) continue;
            const Row row = answers.row(asked, groups);
            for (const std::int32_t group : asked.groups)
                if (group != kIdentity) found[at(group)].insert(row);
        }
        std::map<Row, std::int32_t> numbers;
        std::vector<Row> rows;
        std::vector<std::vector<std::int32_t>> rows_of(groups);
        for (std::size_t g = 1; g < groups; ++g)
            for (const Row& row : least_rows(found[g])) {
                const auto [place, is_new] = numbers.try_emplace(row, number(rows.size()));
                if (is_new) rows.push_back(row);
                rows_of[g].push_back(place->second);
            }
        if (rows == state.rows && rows_of == state.rows_of) return false;
        state.rows = std::move(rows);
        state.rows_of = std::move(rows_of);
        return true;
    }

    // Those rows that no other is below everywhere: the others ask for less.
    std::vector<Row> least_rows(const std::set<Row>& rows) {
        std::vector<Row> least;
        for (const Row& row : rows) {
            const auto asks_more = [&](const Row& other) {
                meter_.spend(1 + other.size());
                return &other != &row && is_at_most(other, row);
            };
            if (std::ranges::none_of(rows, asks_more)) least.push_back(row);
        }
        return least;
    }
    static bool is_at_most(const Row& low, const Row& high) {
        auto place = high.begin();
        for (const Worth& item : low) {
            while (place != high.end() && place->group < item.group) ++place;
            if (place == high.end() || place->group != item.group || place->worth < item.worth)
                return false;
        }
        return true;
    }

    // Lowers the table of a factor until its rules hold; whether anything sank.
    bool lower(std::size_t index) {
        State& state = factors_[index];
        const std::size_t n = state.table.size();
        std::vector<bool> waits(n, true);
        std::vector<std::int32_t> open;
        for (std::size_t x = n; x-- > 0;) open.push_back(number(x));
        bool sank = false;
        while (!open.empty()) {
            const auto target = at(open.back());
            open.pop_back();
            waits[target] = false;
            for (const std::int32_t source : lower_sources(index, target)) {
                sank = true;
                if (waits[at(source)]) continue;
                waits[at(source)] = true;
                open.push_back(source);
            }
        }
        return sank;
    }

    // Applies the rule to all transitions into a state; the sources whose rows sank.
    std::vector<std::int32_t> lower_sources(std::size_t index, std::size_t target) {
        State& state = factors_[index];
        const std::size_t n = state.table.size();
        rows_here_.clear();
        for (const Incoming& into : state.incoming[target])
            for (const std::int32_t row : state.rows_of[at(into.group)])
                for (const std::int32_t source : into.sources)
                    rows_here_.emplace_back(row, source);
        std::ranges::sort(rows_here_);
        const auto rest = std::ranges::unique(rows_here_);
        rows_here_.erase(rest.begin(), rest.end());
        std::vector<std::int32_t> sunk;
        for (std::size_t k = 0; k < rows_here_.size(); ++k) {
            if (k == 0 || rows_here_[k].first != rows_here_[k - 1].first) {
                find_replies(index, target, state.rows[at(rows_here_[k].first)]);
                walked_.assign(n, false);
                all_walked_ = false;
            }
            const auto source = at(rows_here_[k].second);
            meter_.spend(n / 8 + 1);
            if (any_below(replies_.data(), state.table.row(source), n) && lower_row(index, source))
                sunk.push_back(number(source));
        }
        std::ranges::sort(sunk);
        const auto doubled = std::ranges::unique(sunk);
        sunk.erase(doubled.begin(), doubled.end());
        return sunk;
    }

    // replies_[u]: the best answer at u, without walking first.
    void find_replies(std::size_t index, std::size_t target, const Row& row) {
        const Factor& factor = task_.factors()[index];
        const Distance* values = factors_[index].table.row(target);
        replies_.assign(factor.num_states(), kNoBoundOf);
        std::size_t work = factor.num_states();
        for (const auto& [group, worth] : row) {
            if (group == kIdentity) {
                for (std::size_t u = 0; u < replies_.size(); ++u)
                    replies_[u] = std::max(replies_[u], values[u] + worth);
                continue;
            }
            const auto& transitions = factor.groups[at(group)];
            work += transitions.size();
            for (const FactorTransition& t : transitions) {
                Distance& reply = replies_[at(t.from)];
                reply = std::max(reply, values[at(t.to)] + worth);
            }
        }
        for (Distance& reply : replies_) reply = clipped(reply);
        meter_.spend(work);
    }

    // If many would walk before they reply, finds for all states at once what they then get: by
    // Dijkstra's algorithm, backwards from the best replies.
    void walk_to_replies(std::size_t index, const Distance* values) {
        const State& state = factors_[index];
        const std::size_t n = state.table.size();
        std::size_t unhappy = 0;
        for (std::size_t t = 0; t < n; ++t) unhappy += replies_[t] < values[t] ? 1 : 0;
        if (!state.steps_back || unhappy * n < 64 * (n + state.steps_back->edges.size())) return;
        all_walked_ = true;
        meter_.spend(4 * (n + state.steps_back->edges.size()));
        const Distance best = *std::ranges::max_element(replies_);
        if (best == kNoBoundOf) return;
        queue_.clear();
        const auto push = [&](std::int32_t t) {
            queue_.push(static_cast<std::uint64_t>(best - replies_[at(t)]), t);
        };
        for (std::size_t u = 0; u < n; ++u)
            if (replies_[u] != kNoBoundOf) push(number(u));
        while (!queue_.empty()) {
            const auto [loss, u] = queue_.pop();
            if (best - static_cast<Distance>(loss) != replies_[at(u)]) continue;
            const auto& starts = state.steps_back->starts;
            for (std::size_t e = starts[at(u)]; e < starts[at(u) + 1]; ++e) {
                const WalkGraph::Edge& edge = state.steps_back->edges[e];
                const Distance reply = clipped(replies_[at(u)] - edge.cost);
                if (reply <= replies_[at(edge.to)]) continue;
                replies_[at(edge.to)] = reply;
                push(edge.to);
            }
        }
    }

    bool lower_row(std::size_t index, std::size_t source) {
        State& state = factors_[index];
        const Square<Distance>& walk = walks_.costs(index);
        const std::size_t n = state.table.size();
        Distance* values = state.table.row(source);
        if (!all_walked_) walk_to_replies(index, values);
        bool sank = false;
        for (std::size_t t = 0; t < n; ++t) {
            if (replies_[t] >= values[t]) continue;
            const Distance least = clipped(-walk(t, source));
            if (least >= values[t]) continue;
            if (!all_walked_ && !walked_[t]) {
                meter_.spend(n / 8 + 1);
                replies_[t] = clipped(best_of(replies_.data(), walk.row(t), n));
                walked_[t] = true;
            }
            Distance value = std::max(replies_[t], least);
            if (value >= values[t]) continue;
            if (value < floor_ && value > least) {
                value = least;
                ++counts_.truncated;
            }
            values[t] = value;
            sank = true;
        }
        return sank;
    }

    const FactoredTask& task_;
    const FactorWalks& walks_;
    const Distance floor_;
    WorkMeter& meter_;
    FixPointCounts& counts_;
    std::vector<State> factors_;
    std::vector<std::pair<std::int32_t, std::int32_t>> rows_here_;  // row, source
    std::vector<Distance> replies_;
    std::vector<bool> walked_;
    bool all_walked_ = false;
    MonotoneQueue queue_;
};

}  // namespace

DominanceTables walk_bounds(const FactorWalks& walks, std::size_t factors) {
    DominanceTables tables;
    for (std::size_t i = 0; i < factors; ++i) {
        const Square<Distance>& walk = walks.costs(i);
        tables.emplace_back(walk.size(), kNoBoundOf);
        for (std::size_t s = 0; s < walk.size(); ++s)
            for (std::size_t t = 0; t < walk.size(); ++t)
                if (walk(t, s) < kFarAway) tables[i](s, t) = -walk(t, s);
    }
    return tables;
}

DominanceTables greatest_fix_point(const FactoredTask& task, const FactorWalks& walks,
                                   Distance floor, WorkMeter& meter, FixPointCounts& counts) {
    return FixPoint(task, walks, floor, meter, counts).run();
}

}  // namespace bugsieve
