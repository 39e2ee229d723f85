// The heuristic values of states that were evaluated before, as far as memory goes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tasks/state_registry.h"

namespace bugsieve {

// States come in batches. Each gets a place in its batch, equal ones the same; those without a
// value wait for one. A state may be forgotten at any time: it is evaluated again if it comes
// back.
class ValueCache {
  public:
    // Takes about `max_bytes` at most.
    ValueCache(const Packing& packing, std::size_t max_bytes);

    void start_batch();  // the places of the last one are no longer valid

    struct Noted {
        std::uint32_t place;
        bool is_waiting;  // for the first time in this batch
    };
    Noted note(const Word* packed);
    // Begins to fetch what note() will look at.
    void prefetch(const Word* packed) const {
        __builtin_prefetch(table_.data() + home(packed) * slot_words());
    }
    // Takes the values of those that wait, in the order in which they were noted.
    void supply(const std::vector<std::int32_t>& values);

    std::int32_t value(std::uint32_t place) const { return batch_[place].value; }
    std::size_t num_waiting() const { return waiting_.size(); }

  private:
    // A table of slots: a head, then the words of the state.
    struct Head {
        std::int32_t value;   // kWaiting: none yet
        std::uint32_t batch;  // the last one in which the state was noted; 0: the slot is empty
        std::uint32_t place;  // in that batch
    };
    struct Entry {
        std::int32_t value;
        std::size_t slot;
    };
    static constexpr std::int32_t kWaiting = -1;  // less than any value
    static constexpr std::size_t kFirstSlots = 1 << 12;
    static constexpr std::size_t kNeighbours = 4;  // slots that a state may be in

    std::size_t slot_words() const { return words_ + sizeof(Head) / sizeof(Word); }
    Word* slot(std::size_t index) { return table_.data() + index * slot_words(); }
    Head head(std::size_t index) const;
    void set_head(std::size_t index, const Head& head);
    bool holds(std::size_t index, const Word* packed);
    // The slot of the state, an empty one, or one whose state has to go.
    std::size_t find(const Word* packed);
    std::size_t home(const Word* packed) const {
        return static_cast<std::size_t>(packed_hash(packed, words_)) & (slots_ - 1);
    }
    void resize(std::size_t slots);

    std::size_t words_;
    std::size_t most_slots_;
    std::size_t slots_ = 0;  // a power of two
    std::size_t used_ = 0;
    std::vector<Word> table_;
    std::uint32_t batch_number_ = 0;
    std::vector<Entry> batch_;
    std::vector<std::uint32_t> waiting_;  // their places
};

}  // namespace bugsieve
