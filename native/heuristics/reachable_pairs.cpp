#include "heuristics/reachable_pairs.h"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace bugsieve {

namespace {

using Facts = std::span<const std::int32_t>;
using Word = std::uint64_t;

constexpr std::size_t kBits = 64;

std::size_t index(std::int32_t fact) { return static_cast<std::size_t>(fact); }

// Row p is the set of facts that are reached together with p; p itself is in it once reached.
class Pairs {
  public:
    explicit Pairs(const StripsTask& task)
        : task_(task),
          words_((task.num_facts + kBits - 1) / kBits),
          rows_(task.num_facts * words_),
          changed_(task.num_facts),
          tried_(task.needs.size()),
          reached_(task.needs.size()),
          joined_(words_) {
        for (const std::int32_t p : task.initial)
            for (const std::int32_t q : task.initial) set(index(p), index(q));
    }

    // One pass over the operators; whether it has reached anything new.
    bool pass(Interrupts& interrupts) {
        grew_ = false;
        for (std::size_t op = 0; op < reached_.size(); ++op) {
            if ((op & 255) == 0) interrupts.check();
            if (!is_affected(op)) continue;
            tried_[op] = ++clock_;
            if (!reached_[op] && !is_met(task_.needs[op])) continue;
            reached_[op] = 1;
            apply(op);
        }
        return grew_;
    }

    std::vector<std::uint8_t> reached() && { return std::move(reached_); }

  private:
    Word* row(std::size_t fact) { return rows_.data() + fact * words_; }
    bool has(std::size_t p, std::size_t q) { return (row(p)[q / kBits] >> (q % kBits) & 1) != 0; }
    void set(std::size_t p, std::size_t q) {
        row(p)[q / kBits] |= Word{1} << (q % kBits);
        changed_[p] = last_change_ = clock_ + 1;
        grew_ = true;
    }

    // The effects of an operator depend on the rows of what it needs; on all, if it needs nothing.
    bool is_affected(std::size_t op) const {
        if (tried_[op] == 0) return true;
        if (task_.needs[op].empty()) return last_change_ > tried_[op];
        return std::ranges::any_of(task_.needs[op], [&](std::int32_t fact) {
            return changed_[index(fact)] > tried_[op];
        });
    }

    bool is_met(Facts needs) {
        for (const std::int32_t p : needs)
            for (const std::int32_t q : needs)
                if (!has(index(p), index(q))) return false;
        return true;
    }

    void apply(std::size_t op) {
        join(op);
        for (const std::int32_t added : task_.adds[op]) {
            const std::size_t p = index(added);
            for (std::size_t w = 0; w < words_; ++w) {
                Word fresh = joined_[w] & ~row(p)[w];
                for (; fresh != 0; fresh &= fresh - 1) {
                    const std::size_t q =
                        w * kBits + static_cast<std::size_t>(std::countr_zero(fresh));
                    set(p, q);
                    set(q, p);
                }
            }
        }
    }

    // The facts that may be true after the operator: what is added, and what is reached together
    // with everything it needs and is not deleted. Without needs, that is all that is reached.
    void join(std::size_t op) {
        const Facts needs = task_.needs[op];
        if (needs.empty())
            for (std::size_t fact = 0; fact < task_.num_facts; ++fact) put(fact, has(fact, fact));
        else
            std::copy_n(row(index(needs[0])), words_, joined_.begin());
        for (std::size_t k = 1; k < needs.size(); ++k) {
            const Word* const other = row(index(needs[k]));
            for (std::size_t w = 0; w < words_; ++w) joined_[w] &= other[w];
        }
        for (const std::int32_t fact : task_.deletes[op]) put(index(fact), false);
        for (const std::int32_t fact : task_.adds[op]) put(index(fact), true);
    }
    void put(std::size_t fact, bool value) {
        const Word bit = Word{1} << (fact % kBits);
        if (value)
            joined_[fact / kBits] |= bit;
        else
            joined_[fact / kBits] &= ~bit;
    }

    const StripsTask& task_;
    std::size_t words_;
    std::vector<Word> rows_;
    std::vector<std::uint64_t> changed_;  // when a row last changed, in operators tried
    std::vector<std::uint64_t> tried_;    // when an operator was last tried
    std::vector<std::uint8_t> reached_;
    std::vector<Word> joined_;
    std::uint64_t clock_ = 0, last_change_ = 0;
    bool grew_ = false;
};

void check_facts(const Lists<std::int32_t>& lists, std::size_t num_facts) {
    for (const std::int32_t fact : lists.items)
        if (fact < 0 || index(fact) >= num_facts)
            throw std::invalid_argument("fact " + std::to_string(fact) + " is out of range");
}

}  // namespace

void StripsTask::check() const {
    if (adds.size() != needs.size() || deletes.size() != needs.size())
        throw std::invalid_argument("operators need as many lists of each kind");
    for (const auto* lists : {&needs, &adds, &deletes}) check_facts(*lists, num_facts);
    check_facts({{0}, initial}, num_facts);
}

std::vector<std::uint8_t> operators_reached_by_pairs(const StripsTask& task,
                                                     Interrupts& interrupts) {
    Pairs pairs(task);
    while (pairs.pass(interrupts)) {
    }
    return std::move(pairs).reached();
}

}  // namespace bugsieve
