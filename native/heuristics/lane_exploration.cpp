#include "heuristics/lane_exploration.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace bugsieve {

namespace {

// Everything a sweep reads and writes, as raw pointers: the sweep is compiled once for each
// instruction set and must not instantiate library code of its own.
template <class T>
struct Tables {
    const std::int32_t* precondition_starts;
    const std::int32_t* preconditions;
    const std::int32_t* effect_starts;
    const std::int32_t* effects;
    const std::int32_t* needed_starts;
    const std::int32_t* needed;
    const T* costs;
    T* values;
    std::uint8_t* reached;
    std::int32_t* missing;
    std::uint64_t* due;
    std::size_t words;
};

template <class T>
using Lane [[gnu::vector_size(64), gnu::may_alias]] = T;

template <class T>
[[gnu::always_inline]] inline void saturating_add(Lane<T>& sum, const Lane<T>& term) {
    const Lane<T> room = ~term;
    sum = (sum < room ? sum : room) + term;
}

// Marks the operators that need `fact` as due; returns the lowest word of `due` touched.
template <class T>
[[gnu::always_inline]] inline std::size_t announce(const Tables<T>& t, std::int32_t fact) {
    const bool first = t.reached[fact] == 0;
    t.reached[fact] = 1;
    std::size_t lowest = t.words;
    for (std::int32_t i = t.needed_starts[fact]; i < t.needed_starts[fact + 1]; ++i) {
        const auto op = static_cast<std::size_t>(t.needed[i]);
        if (first) --t.missing[op];
        if (t.missing[op] != 0) continue;
        t.due[op / 64] |= std::uint64_t{1} << (op % 64);
        if (op / 64 < lowest) lowest = op / 64;
    }
    return lowest;
}

// Applies one operator to all lanes; returns the lowest word of `due` touched.
template <class T, Combine kCombine>
[[gnu::always_inline]] inline std::size_t apply(const Tables<T>& t, std::size_t op) {
    constexpr std::size_t kLanes = 64 / sizeof(T);
    Lane<T> value{};
    for (std::int32_t i = t.precondition_starts[op]; i < t.precondition_starts[op + 1]; ++i) {
        const auto& term = *reinterpret_cast<const Lane<T>*>(
            t.values + static_cast<std::size_t>(t.preconditions[i]) * kLanes);
        if constexpr (kCombine == Combine::kMax)
            value = value > term ? value : term;
        else
            saturating_add<T>(value, term);
    }
    const Lane<T> cost = Lane<T>{} + t.costs[op];
    saturating_add<T>(value, cost);
    std::size_t lowest = t.words;
    for (std::int32_t i = t.effect_starts[op]; i < t.effect_starts[op + 1]; ++i) {
        auto& old = *reinterpret_cast<Lane<T>*>(t.values +
                                                static_cast<std::size_t>(t.effects[i]) * kLanes);
        const Lane<T> better = value < old ? value : old;
        const Lane<std::uint64_t> change = reinterpret_cast<Lane<std::uint64_t>>(better ^ old);
        const std::uint64_t any = (change[0] | change[1]) | (change[2] | change[3]) |
                                  (change[4] | change[5]) | (change[6] | change[7]);
        if (any == 0) continue;
        old = better;
        const std::size_t touched = announce(t, t.effects[i]);
        if (touched < lowest) lowest = touched;
    }
    return lowest;
}

template <class T, Combine kCombine>
[[gnu::always_inline]] inline void sweep_until_stable(const Tables<T>& t) {
    std::size_t from = 0;
    while (from < t.words) {
        std::size_t again = t.words;
        for (std::size_t word = from; word < t.words; ++word) {
            while (t.due[word] != 0) {
                const auto bit = static_cast<std::size_t>(std::countr_zero(t.due[word]));
                t.due[word] &= t.due[word] - 1;
                const std::size_t touched = apply<T, kCombine>(t, 64 * word + bit);
                if (touched < again) again = touched;
            }
        }
        // Words above `again` are done unless touched later, which `again` covers.
        from = again;
    }
}

template <class T, Combine kCombine>
void sweep_baseline(const Tables<T>& t) {
    sweep_until_stable<T, kCombine>(t);
}

#if defined(__x86_64__)
template <class T, Combine kCombine>
[[gnu::target("avx2,bmi,bmi2")]] void sweep_avx2(const Tables<T>& t) {
    sweep_until_stable<T, kCombine>(t);
}
const bool kHasAvx2 = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi2") != 0;
#endif

template <class T, Combine kCombine>
void sweep_best(const Tables<T>& t) {
#if defined(__x86_64__)
    if (kHasAvx2) return sweep_avx2<T, kCombine>(t);
#endif
    sweep_baseline<T, kCombine>(t);
}

}  // namespace

const char* lane_instructions() {
#if defined(__x86_64__)
    if (kHasAvx2) return "avx2";
#endif
    return "baseline";
}

template <class T>
LaneExploration<T>::LaneExploration(const Relaxation& relaxation,
                                    std::span<const std::int32_t> costs)
    : relaxation_(relaxation),
      values_(static_cast<std::size_t>(relaxation.num_facts)),
      reached_(static_cast<std::size_t>(relaxation.num_facts)),
      due_(relaxation.num_operators() / 64 + 1) {
    for (const std::int32_t cost : costs) {
        if (static_cast<std::uint64_t>(cost) >= kInfinity) costs_fit_ = false;
        costs_.push_back(static_cast<T>(cost));
        largest_cost_ = std::max(largest_cost_, costs_.back());
    }
    for (std::size_t op = 0; op < relaxation.num_operators(); ++op)
        all_missing_.push_back(static_cast<std::int32_t>(relaxation.preconditions[op].size()));
    missing_.resize(all_missing_.size());
}

template <class T>
void LaneExploration<T>::set_states(std::span<const Value> states, std::size_t width) {
    std::memset(values_.data(), 0xff, values_.size() * sizeof(Line));
    std::fill(reached_.begin(), reached_.end(), std::uint8_t{0});
    std::copy(all_missing_.begin(), all_missing_.end(), missing_.begin());
    first_reached_.clear();
    const std::size_t count = width == 0 ? 1 : states.size() / width;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
        // Unused lanes repeat the last state: they change whenever it does.
        const std::size_t row = std::min(lane, count - 1);
        relaxation_.for_each_fact(states.subspan(row * width, width), [&](std::int32_t fact) {
            const auto f = static_cast<std::size_t>(fact);
            values()[f * kLanes + lane] = 0;
            if (reached_[f] == 0) first_reached_.push_back(fact);
            reached_[f] = 1;
        });
    }
    for (const std::int32_t fact : first_reached_) reached_[static_cast<std::size_t>(fact)] = 0;
}

template <class T>
void LaneExploration<T>::sweep(Combine combine) {
    const Tables<T> tables{relaxation_.preconditions.starts.data(),
                           relaxation_.preconditions.items.data(),
                           relaxation_.effects.starts.data(),
                           relaxation_.effects.items.data(),
                           relaxation_.needed_by.starts.data(),
                           relaxation_.needed_by.items.data(),
                           costs_.data(),
                           values(),
                           reached_.data(),
                           missing_.data(),
                           due_.data(),
                           due_.size()};
    for (const std::int32_t op : relaxation_.free)
        due_[static_cast<std::size_t>(op) / 64] |= std::uint64_t{1} << (op % 64);
    for (const std::int32_t fact : first_reached_) announce(tables, fact);
    if (combine == Combine::kMax)
        sweep_best<T, Combine::kMax>(tables);
    else
        sweep_best<T, Combine::kSum>(tables);
}

// Values only ever fall. If even the largest final value leaves room for one more operator,
// every final value was computed without saturating.
template <class T>
bool LaneExploration<T>::may_have_overflowed(Combine combine) const {
    if constexpr (sizeof(T) == 8) return false;
    T peak = 0;
    for (const Line& line : values_)
        for (const T value : line.lane) peak = std::max(peak, value == kInfinity ? T{0} : value);
    const std::uint64_t terms =
        combine == Combine::kMax ? 1 : static_cast<std::uint64_t>(relaxation_.most_preconditions);
    return peak * terms + largest_cost_ >= kInfinity;
}

template <class T>
bool LaneExploration<T>::explore(std::span<const Value> states, std::size_t width,
                                 Combine combine) {
    if (!costs_fit_) return false;
    set_states(states, width);
    sweep(combine);
    return !may_have_overflowed(combine);
}

template class LaneExploration<std::uint16_t>;
template class LaneExploration<std::uint32_t>;
template class LaneExploration<std::uint64_t>;

}  // namespace bugsieve
