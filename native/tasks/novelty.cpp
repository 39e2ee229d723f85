#include "tasks/novelty.h"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <string>

namespace bugsieve {

namespace {

constexpr std::size_t kFirstSlots = 64;
constexpr std::size_t kMostFacts = std::size_t{1} << 21;  // so that triples are 64-bit numbers
// Rows of bits are taken if they are small altogether. They are also taken if even a row that only
// one state uses takes at most 16 bytes a tuple, as numbers would.
constexpr std::uint64_t kSmallBits = std::uint64_t{1} << 26;
constexpr std::uint64_t kMostPrefixes = std::uint64_t{1} << 24;
constexpr std::size_t kLargestDomain = 128;  // on average

constexpr std::size_t words_for(std::size_t bits) { return (bits + 63) / 64; }

}  // namespace

std::size_t NumberSet::slot_of(std::uint64_t number) const {
    const std::uint64_t mixed = (number ^ (number >> 32)) * 0x9e3779b97f4a7c15ULL;
    auto slot = static_cast<std::size_t>(
        (static_cast<unsigned __int128>(mixed ^ (mixed << 32)) * slots_.size()) >> 64);
    while (slots_[slot] != 0 && slots_[slot] != number)
        if (++slot == slots_.size()) slot = 0;
    return slot;
}

bool NumberSet::contains(std::uint64_t number) const {
    return size_ > 0 && slots_[slot_of(number)] != 0;
}

bool NumberSet::insert(std::uint64_t number) {
    if (4 * (size_ + 1) > 3 * slots_.size()) grow();
    std::uint64_t& slot = slots_[slot_of(number)];
    if (slot != 0) return false;
    slot = number;
    ++size_;
    return true;
}

void NumberSet::grow() {
    const std::vector<std::uint64_t> old = std::move(slots_);
    slots_ = std::vector<std::uint64_t>(std::max(kFirstSlots, old.size() + old.size() / 2), 0);
    for (const std::uint64_t number : old)
        if (number != 0) slots_[slot_of(number)] = number;
}

TupleSet::TupleSet(const Size& size, std::size_t facts, std::size_t variables)
    : facts_(facts),
      has_rows_(size.bits <= kSmallBits ||
                (size.prefixes <= kMostPrefixes && facts <= kLargestDomain * variables)) {
    if (has_rows_) starts_.assign(size.prefixes, 0);
}

bool TupleSet::lacks(std::uint64_t prefix, std::span<const FactWord> facts) const {
    if (has_rows_) {
        if (starts_[prefix] == 0) return !facts.empty();
        const std::uint64_t* const row = words_.data() + (starts_[prefix] - 1);
        std::uint64_t missing = 0;
        for (const FactWord& fact : facts) missing |= fact.bits & ~row[fact.word];
        return missing != 0;
    }
    for (const FactWord& fact : facts)
        for (std::uint64_t bits = fact.bits; bits != 0; bits &= bits - 1)
            if (!numbers_.contains(
                    number(prefix, static_cast<std::uint64_t>(fact.word) * 64 +
                                       static_cast<std::uint64_t>(std::countr_zero(bits)))))
                return true;
    return false;
}

bool TupleSet::insert(std::uint64_t prefix, std::span<const FactWord> facts,
                      std::size_t row_words) {
    if (facts.empty()) return false;
    if (has_rows_) {
        if (starts_[prefix] == 0) starts_[prefix] = allot(row_words) + 1;
        std::uint64_t* const row = words_.data() + (starts_[prefix] - 1);
        std::uint64_t missing = 0;
        for (const FactWord& fact : facts) {
            missing |= fact.bits & ~row[fact.word];
            row[fact.word] |= fact.bits;
        }
        return missing != 0;
    }
    bool is_new = false;
    for (const FactWord& fact : facts)
        for (std::uint64_t bits = fact.bits; bits != 0; bits &= bits - 1)
            is_new |= numbers_.insert(
                number(prefix, static_cast<std::uint64_t>(fact.word) * 64 +
                                   static_cast<std::uint64_t>(std::countr_zero(bits))));
    return is_new;
}

std::uint32_t TupleSet::allot(std::size_t words) {
    const std::size_t start = words_.size();
    if (start + words >= UINT32_MAX) throw std::length_error("too many tuples of facts");
    if (start + words > words_.capacity())
        words_.reserve(std::max(start + words, start + start / 4));
    words_.resize(start + words, 0);
    return static_cast<std::uint32_t>(start);
}

std::size_t TupleSet::bytes() const {
    return starts_.capacity() * sizeof(starts_[0]) + words_.capacity() * sizeof(words_[0]) +
           numbers_.bytes();
}

NoveltyStore::NoveltyStore(const FdrTask& task, int depth) : depth_(depth) {
    if (depth < 1 || depth > kDeepest)
        throw std::invalid_argument("the depth of a novelty store is 1, 2 or 3, not " +
                                    std::to_string(depth));
    std::size_t count = 0;
    for (const std::int32_t size : task.domain_sizes) {
        first_fact_.push_back(static_cast<std::int32_t>(count));
        count += static_cast<std::size_t>(size);
        if (count > kMostFacts)
            throw std::invalid_argument("a novelty store holds tasks of at most " +
                                        std::to_string(kMostFacts) + " facts");
    }
    seen_.assign(words_for(count), 0);
    if (depth == 1) return;
    TupleSet::Size pairs{count, 0}, triples;
    for (std::size_t v = 0; v < task.num_variables(); ++v) {
        const auto before = static_cast<std::size_t>(first_fact_[v]);
        const auto size = static_cast<std::uint64_t>(task.domain_size(v));
        const std::uint64_t larger = count - before - size;
        for (std::uint64_t value = 0; value < size; ++value)
            layout_.push_back({words_for(before), static_cast<std::int32_t>(before + size),
                               triples.prefixes + value * larger});
        pairs.bits += size * before;
        triples.prefixes += size * larger;
        triples.bits += size * larger * before;
    }
    pairs_ = TupleSet(pairs, count, task.num_variables());
    if (depth == 3) triples_ = TupleSet(triples, count, task.num_variables());
}

void NoveltyStore::set_facts(StateView state) {
    facts_.clear();
    for (std::size_t v = 0; v < state.size(); ++v) facts_.push_back(first_fact_[v] + state[v]);
}

bool NoveltyStore::lacks_fact() const {
    return std::any_of(facts_.begin(), facts_.end(), [&](std::int32_t fact) {
        return (seen_[static_cast<std::size_t>(fact) / 64] >> (fact % 64) & 1) == 0;
    });
}

bool NoveltyStore::insert_facts() {
    bool is_new = false;
    for (const std::int32_t fact : facts_) {
        std::uint64_t& word = seen_[static_cast<std::size_t>(fact) / 64];
        const std::uint64_t bit = std::uint64_t{1} << (fact % 64);
        is_new |= (word & bit) == 0;
        word |= bit;
    }
    return is_new;
}

template <class Visit>
bool NoveltyStore::any_position(Visit visit) {
    bool any = false;
    below_.clear();
    for (std::size_t at = 0; at < facts_.size(); ++at) {
        // Not ||: every position is visited, as visiting may insert. The facts below come after
        // the visit, so that each set of facts is seen in one order only.
        any |= visit(at);
        const std::int32_t word = facts_[at] / 64;
        if (below_.empty() || below_.back().word != word) below_.push_back({word, 0});
        below_.back().bits |= std::uint64_t{1} << (facts_[at] % 64);
    }
    return any;
}

template <class Visit>
bool NoveltyStore::any_pair_from(std::size_t position, Visit visit) const {
    const Layout& layout = layout_[static_cast<std::size_t>(facts_[position])];
    bool any = false;
    for (std::size_t other = position + 1; other < facts_.size(); ++other)
        any |= visit(layout.first_pair_index +
                         static_cast<std::uint64_t>(facts_[other] - layout.first_larger),
                     layout.row_words);
    return any;
}

int NoveltyStore::insert(StateView state) {
    set_facts(state);
    // From the largest tuples to the smallest, and all of them: each set must learn the state,
    // while the smallest new tuple is the one that counts, hence asked last.
    int novelty = depth_ + 1;
    if (depth_ == 3 && any_position([&](std::size_t at) {
            return any_pair_from(at, [&](std::uint64_t prefix, std::size_t row_words) {
                return triples_.insert(prefix, below_, row_words);
            });
        }))
        novelty = 3;
    if (depth_ >= 2 && any_position([&](std::size_t at) {
            const auto fact = static_cast<std::size_t>(facts_[at]);
            return pairs_.insert(fact, below_, layout_[fact].row_words);
        }))
        novelty = 2;
    return insert_facts() ? 1 : novelty;
}

int NoveltyStore::novelty(StateView state) {
    set_facts(state);
    if (lacks_fact()) return 1;
    if (depth_ >= 2 && any_position([&](std::size_t at) {
            return pairs_.lacks(static_cast<std::uint64_t>(facts_[at]), below_);
        }))
        return 2;
    if (depth_ == 3 && any_position([&](std::size_t at) {
            return any_pair_from(at, [&](std::uint64_t prefix, std::size_t) {
                return triples_.lacks(prefix, below_);
            });
        }))
        return 3;
    return depth_ + 1;
}

std::size_t NoveltyStore::bytes() const {
    return layout_.capacity() * sizeof(Layout) + seen_.capacity() * sizeof(seen_[0]) +
           pairs_.bytes() + triples_.bytes();
}

}  // namespace bugsieve
