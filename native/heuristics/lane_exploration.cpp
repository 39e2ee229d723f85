#include "heuristics/lane_exploration.h"

#include <algorithm>
#include <cstring>

namespace bugsieve {

namespace {

// Everything a sweep reads and writes, as raw pointers: the sweep is compiled once for each
// instruction set and must not instantiate library code of its own.
template <class T>
struct Tables {
    std::size_t operators;
    const std::int32_t* precondition_starts;
    const std::int32_t* preconditions;
    const std::int32_t* effect_starts;
    const std::int32_t* effects;
    const T* costs;
    T* values;
    std::uint32_t* changed;
    std::uint32_t* applied;
    std::uint32_t now;  // counts the operators applied
};

// A register's worth of lanes.
template <class T, std::size_t kBytes>
struct Register {
    typedef T Lanes [[gnu::vector_size(kBytes), gnu::may_alias]];
    typedef std::uint64_t Bits [[gnu::vector_size(kBytes), gnu::may_alias]];
};

// All lanes of a fact, in as many registers as they take.
template <class T, std::size_t kBytes>
struct Row {
    using Lanes = typename Register<T, kBytes>::Lanes;
    using Bits = typename Register<T, kBytes>::Bits;
    static constexpr std::size_t kParts = 64 / kBytes;
    Lanes parts[kParts];

    [[gnu::always_inline]] void raise_to(const Row& other) {
        for (std::size_t i = 0; i < kParts; ++i)
            parts[i] = parts[i] > other.parts[i] ? parts[i] : other.parts[i];
    }
    [[gnu::always_inline]] void add(const Row& other) {
        for (std::size_t i = 0; i < kParts; ++i) parts[i] = sum(parts[i], other.parts[i]);
    }
    [[gnu::always_inline]] void add(T number) {
        const Lanes term = Lanes{} + number;
        for (std::size_t i = 0; i < kParts; ++i) parts[i] = sum(parts[i], term);
    }
    // Sums that do not fit stay at the largest number. In the widest lanes, where there is nothing
    // to fall back on, sums of finite numbers stay finite.
    [[gnu::always_inline]] static Lanes sum(const Lanes& a, const Lanes& b) {
        if constexpr (sizeof(T) == 8) {
            const Lanes infinity = ~Lanes{};
            const Lanes largest = Lanes{} + static_cast<T>(kLargestValue);
            const Lanes plain = a + b;  // wraps only if one is infinite
            const Lanes capped = plain < largest ? plain : largest;
            return (a > b ? a : b) == infinity ? infinity : capped;
        } else {
            // Saturates without a test: ~b is how much room b leaves below the largest number. So
            // infinity plus anything stays infinity, in its own lane only.
            const Lanes room = ~b;
            return (a < room ? a : room) + b;
        }
    }
    // Takes over smaller lanes; returns whether there were any.
    [[gnu::always_inline]] bool lower_to(const Row& other) {
        Bits difference{};
        for (std::size_t i = 0; i < kParts; ++i) {
            const Lanes less = other.parts[i] < parts[i] ? other.parts[i] : parts[i];
            difference |= reinterpret_cast<Bits>(less ^ parts[i]);
            parts[i] = less;
        }
        std::uint64_t any = 0;
        for (std::size_t i = 0; i < kBytes / sizeof(any); ++i) any |= difference[i];
        return any != 0;
    }
};

// Applies the operators in order, leaving out those whose preconditions have not changed since
// they were last applied. Returns whether nothing changed.
template <class T, Combine kCombine, std::size_t kBytes>
[[gnu::always_inline]] inline bool sweep_once(Tables<T>& t) {
    using Fact = Row<T, kBytes>;
    Fact* const values = reinterpret_cast<Fact*>(t.values);
    std::uint32_t now = t.now;
    bool stable = true;
    for (std::size_t op = 0; op < t.operators; ++op) {
        const std::int32_t* const begin = t.preconditions + t.precondition_starts[op];
        const std::int32_t* const end = t.preconditions + t.precondition_starts[op + 1];
        // Starts at 1, so that an operator without preconditions is applied once. A fact that no
        // lane has reached makes the operator useless to all of them; one that some lanes have
        // reached is infinite in the others, and so is what they compute.
        std::uint32_t newest = 1;
        for (const std::int32_t* pre = begin; pre != end; ++pre) {
            const std::uint32_t changed = t.changed[*pre];
            if (changed > newest) newest = changed;
            if (changed != 0) continue;
            newest = 0;  // not reached in any lane
            break;
        }
        if (newest <= t.applied[op]) continue;
        t.applied[op] = ++now;
        Fact value{};
        for (const std::int32_t* pre = begin; pre != end; ++pre) {
            if constexpr (kCombine == Combine::kMax)
                value.raise_to(values[*pre]);
            else
                value.add(values[*pre]);
        }
        value.add(t.costs[op]);
        for (std::int32_t i = t.effect_starts[op]; i < t.effect_starts[op + 1]; ++i) {
            if (!values[t.effects[i]].lower_to(value)) continue;
            // One later than this application: an operator that reads what it has changed itself
            // is applied again, while the next one, whose time this is, has seen it already.
            t.changed[t.effects[i]] = now + 1;
            stable = false;
        }
    }
    t.now = now;
    return stable;
}

template <class T, Combine kCombine>
bool sweep_baseline(Tables<T>& t) {
    return sweep_once<T, kCombine, 16>(t);
}

#if defined(__x86_64__)
template <class T, Combine kCombine>
[[gnu::target("avx2")]] bool sweep_avx2(Tables<T>& t) {
    return sweep_once<T, kCombine, 32>(t);
}
const bool kHasAvx2 = __builtin_cpu_supports("avx2") != 0;
#endif

template <class T, Combine kCombine>
bool sweep_best(Tables<T>& t) {
#if defined(__x86_64__)
    if (kHasAvx2) return sweep_avx2<T, kCombine>(t);
#endif
    return sweep_baseline<T, kCombine>(t);
}

// Beyond this many sweeps, Dijkstra's algorithm on each state is faster.
constexpr int kMostSweeps = 200;

}  // namespace

const char* lane_instructions() {
#if defined(__x86_64__)
    if (kHasAvx2) return "avx2";
#endif
    return "baseline";
}

template <class T>
LaneExploration<T>::LaneExploration(const Relaxation& relaxation,
                                    std::span<const std::int64_t> costs)
    : relaxation_(relaxation),
      values_(static_cast<std::size_t>(relaxation.for_sweeps.num_facts)),
      changed_(values_.size()),
      applied_(relaxation.for_sweeps.size()) {
    for (const std::int32_t op : relaxation.for_sweeps.priced_like) {
        const std::int64_t cost =
            op == SweepOperators::kFree ? 0 : costs[static_cast<std::size_t>(op)];
        if (static_cast<std::uint64_t>(cost) >= kInfinity) costs_fit_ = false;
        costs_.push_back(static_cast<T>(cost));
        largest_cost_ = std::max(largest_cost_, costs_.back());
    }
}

template <class T>
void LaneExploration<T>::set_states(std::span<const Value> states, std::size_t width) {
    std::memset(values_.data(), 0xff, values_.size() * sizeof(Line));
    std::fill(changed_.begin(), changed_.end(), 0u);
    std::fill(applied_.begin(), applied_.end(), 0u);
    const std::size_t count = width == 0 ? 1 : states.size() / width;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
        // Unused lanes repeat the last state: they change whenever it does.
        const std::size_t row = std::min(lane, count - 1);
        relaxation_.for_each_fact(states.subspan(row * width, width), [&](std::int32_t fact) {
            const auto f = static_cast<std::size_t>(fact);
            values()[f * kLanes + lane] = 0;
            changed_[f] = 1;
        });
    }
}

template <class T>
bool LaneExploration<T>::sweep(Combine combine, Interrupts& interrupts) {
    const SweepOperators& operators = relaxation_.for_sweeps;
    Tables<T> tables{operators.size(),
                     operators.preconditions.starts.data(),
                     operators.preconditions.items.data(),
                     operators.effects.starts.data(),
                     operators.effects.items.data(),
                     costs_.data(),
                     values(),
                     changed_.data(),
                     applied_.data(),
                     1};
    // Bellman-Ford: values only fall, and each sweep makes final at least those facts whose
    // supporters were. That can take as many sweeps as the longest chain of operators has links,
    // if the operators stand in the wrong order; hence the limit.
    for (int sweeps = 0; sweeps < kMostSweeps; ++sweeps) {
        interrupts.check();
        if (combine == Combine::kMax ? sweep_best<T, Combine::kMax>(tables)
                                     : sweep_best<T, Combine::kSum>(tables))
            return true;
    }
    return false;
}

// Values only ever fall. If even the largest final value leaves room for one more operator,
// every final value was computed without saturating. The widest lanes cap their sums instead.
template <class T>
bool LaneExploration<T>::may_have_overflowed(Combine combine) const {
    if constexpr (sizeof(T) == 8) return false;
    // One more than the value, so that infinity becomes 0 without a test; and a peak per lane, so
    // that the compiler takes many at a time.
    Line peaks{};
    for (const Line& line : values_)
        for (std::size_t i = 0; i < kLanes; ++i) {
            const T more = static_cast<T>(line.lane[i] + 1);
            peaks.lane[i] = more > peaks.lane[i] ? more : peaks.lane[i];
        }
    const T above = *std::max_element(peaks.lane, peaks.lane + kLanes);
    const T peak = above == 0 ? T{0} : static_cast<T>(above - 1);
    const std::uint64_t terms =
        combine == Combine::kMax ? 1 : static_cast<std::uint64_t>(relaxation_.most_preconditions);
    return peak * terms + largest_cost_ >= kInfinity;
}

template <class T>
typename LaneExploration<T>::Outcome LaneExploration<T>::explore(std::span<const Value> states,
                                                                 std::size_t width,
                                                                 Combine combine,
                                                                 Interrupts& interrupts) {
    if (relaxation_.num_facts == 0) return Outcome::kDone;
    if (!costs_fit_) return Outcome::kTooNarrow;
    set_states(states, width);
    if (!sweep(combine, interrupts)) return Outcome::kTooSlow;
    return may_have_overflowed(combine) ? Outcome::kTooNarrow : Outcome::kDone;
}

template class LaneExploration<std::uint8_t>;
template class LaneExploration<std::uint16_t>;
template class LaneExploration<std::uint32_t>;
template class LaneExploration<std::uint64_t>;

}  // namespace bugsieve
