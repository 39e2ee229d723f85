// Packed states and the set of them that a search has seen.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "tasks/fdr_task.h"

namespace bugsieve {

using Word = std::uint32_t;
using StateId = std::uint32_t;

constexpr StateId kNoState = 0xffffffff;

// How the variables of a task share the bits of a few words.
class Packing {
  public:
    explicit Packing(const FdrTask& task);

    std::size_t words() const { return words_; }
    Value get(const Word* packed, std::size_t variable) const {
        const Place& place = places_[variable];
        return static_cast<Value>((packed[place.word] >> place.shift) & place.mask);
    }
    void set(Word* packed, std::size_t variable, std::int32_t value) const {
        const Place& place = places_[variable];
        packed[place.word] = (packed[place.word] & ~(place.mask << place.shift)) |
                             (static_cast<Word>(value) << place.shift);
    }
    void pack(StateView state, Word* packed) const;
    void unpack(const Word* packed, std::span<Value> state) const;

  private:
    struct Place {
        std::uint32_t word, shift;
        Word mask;
    };
    std::vector<Place> places_;
    std::size_t words_ = 0;
};

// Assigns ids 0, 1, 2, … to distinct packed states, in order of insertion.
class StateRegistry {
  public:
    explicit StateRegistry(std::size_t words);
    StateRegistry(const StateRegistry&) = delete;
    StateRegistry& operator=(const StateRegistry&) = delete;

    struct Inserted {
        StateId id;
        bool is_new;
    };
    Inserted insert(const Word* packed);
    StateId find(const Word* packed) const;  // kNoState if absent
    const Word* operator[](StateId id) const {
        return chunks_[id >> chunk_bits_].get() + (id & chunk_mask_) * words_;
    }
    std::size_t size() const { return size_; }
    std::size_t bytes() const;

  private:
    std::uint64_t hash(const Word* packed) const;
    std::size_t home(std::uint64_t hash) const {
        return static_cast<std::size_t>((static_cast<unsigned __int128>(hash) * slots_.size()) >>
                                        64);
    }
    bool equal(StateId id, const Word* packed) const;
    // The slot of the state, or the empty one where it belongs.
    std::size_t look_up(const Word* packed, std::uint64_t hash) const;
    void grow();

    // A slot holds id + 1 in its low bits and some bits of the hash above them, so that most
    // comparisons with other states are settled without touching them. 0 is empty. Slots are as
    // narrow as their number permits: in tasks with small states they are what takes the memory.
    class Slots {
      public:
        explicit Slots(std::size_t size);

        std::size_t size() const { return size_; }
        std::uint64_t operator[](std::size_t slot) const {
            return (window(slot) >> (slot * width_ & 7)) & mask_;
        }
        void set(std::size_t slot, std::uint64_t value);  // of an empty slot
        std::uint64_t item(StateId id, std::uint64_t hash) const {
            return tag(hash) | (std::uint64_t{id} + 1);
        }
        StateId id(std::uint64_t item) const {
            return static_cast<StateId>((item & id_mask_) - 1);
        }
        bool may_be(std::uint64_t item, std::uint64_t hash) const {
            return ((item ^ tag(hash)) & ~id_mask_) == 0;
        }
        void prefetch(std::size_t slot) const {
            __builtin_prefetch(bits_.data() + (slot * width_ >> 3));
        }
        std::size_t bytes() const { return bits_.capacity(); }

      private:
        std::uint64_t tag(std::uint64_t hash) const { return hash & mask_ & ~id_mask_; }
        std::uint64_t window(std::size_t slot) const {
            std::uint64_t bits;
            std::memcpy(&bits, bits_.data() + (slot * width_ >> 3), sizeof bits);
            return bits;
        }

        std::size_t size_, width_;
        std::uint64_t id_mask_, mask_;
        std::vector<std::uint8_t> bits_;
    };

    std::size_t words_;
    std::uint32_t chunk_bits_;
    StateId chunk_mask_;
    std::vector<std::unique_ptr<Word[]>> chunks_;
    Slots slots_;
    std::size_t size_ = 0;
};

}  // namespace bugsieve
