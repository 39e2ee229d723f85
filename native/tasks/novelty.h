// Which facts, pairs and triples of facts some earlier state has had.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tasks/fdr_task.h"

namespace bugsieve {

// A set of non-zero numbers, by open addressing.
class NumberSet {
  public:
    bool contains(std::uint64_t number) const;
    bool insert(std::uint64_t number);  // true if it was missing
    std::size_t bytes() const { return slots_.capacity() * sizeof(slots_[0]); }

  private:
    std::size_t slot_of(std::uint64_t number) const;  // its own, or the free one it would take
    void grow();

    std::vector<std::uint64_t> slots_;  // 0: free
    std::size_t size_ = 0;
};

// Some facts as bits: fact f is bit f % 64 of the entry whose word is f / 64. Only words that have
// a bit are listed.
struct FactWord {
    std::int32_t word;
    std::uint64_t bits;
};

// A set of tuples of facts. A tuple is its smallest fact and the number of the rest, its prefix.
// Each prefix has a row of bits, allotted when it is first met; where these rows would be long and
// nearly empty, the tuples are kept as numbers instead.
class TupleSet {
  public:
    struct Size {
        std::uint64_t prefixes = 0;
        std::uint64_t bits = 0;  // of all rows
    };
    TupleSet() = default;
    TupleSet(const Size& size, std::size_t facts, std::size_t variables);

    // Returns true if the prefix with some of the facts is missing.
    bool lacks(std::uint64_t prefix, std::span<const FactWord> facts) const;
    // The same, and adds what is missing. The prefix needs a row of `row_words`.
    bool insert(std::uint64_t prefix, std::span<const FactWord> facts, std::size_t row_words);
    std::size_t bytes() const;

  private:
    std::uint64_t number(std::uint64_t prefix, std::uint64_t fact) const {
        return prefix * facts_ + fact + 1;
    }
    std::uint32_t allot(std::size_t words);

    std::size_t facts_ = 0;
    bool has_rows_ = true;
    std::vector<std::uint32_t> starts_;  // of each prefix's row in words_, plus one; 0: none yet
    std::vector<std::uint64_t> words_;
    NumberSet numbers_;
};

// The facts are numbered over all variables; see `insert` for what novelty is.
class NoveltyStore {
  public:
    static constexpr int kDeepest = 3;

    // Throws std::invalid_argument if the depth is not 1, 2 or 3, or the task has too many facts.
    NoveltyStore(const FdrTask& task, int depth);

    int depth() const { return depth_; }
    // The size of the smallest set of facts of `state` that no earlier state had all of; depth + 1
    // if there is none of up to `depth` facts. Then adds the state's sets of up to `depth` facts.
    int insert(StateView state);
    // The same without adding anything.
    int novelty(StateView state);
    std::size_t bytes() const;

  private:
    struct Layout {
        std::size_t row_words;           // of the prefixes that begin with the fact
        std::int32_t first_larger;       // fact of a later variable
        std::uint64_t first_pair_index;  // of the prefixes {this, first_larger}, {this, ...}, ...
    };

    void set_facts(StateView state);
    bool lacks_fact() const;
    bool insert_facts();
    // Calls visit(position) for each fact of the state, with the facts before it in `below_`.
    template <class Visit>
    bool any_position(Visit visit);
    template <class Visit>
    bool any_pair_from(std::size_t position, Visit visit) const;

    int depth_;
    std::vector<std::int32_t> first_fact_;  // of each variable
    std::vector<Layout> layout_;            // of each fact
    std::vector<std::uint64_t> seen_;       // bits: facts
    TupleSet pairs_, triples_;
    std::vector<std::int32_t> facts_;  // of the state at hand, ascending
    std::vector<FactWord> below_;
};

}  // namespace bugsieve
