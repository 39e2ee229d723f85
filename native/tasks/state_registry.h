// Packed states and the set of them that a search has seen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "tasks/fdr_task.h"
#include "tasks/state_index.h"

namespace bugsieve {

using Word = std::uint32_t;
// The layout by which the variables of a task share the bits of a few words.
class Packing {
  public:
    explicit Packing(const FdrTask& task);

    std::size_t words() const { return words_; }
    // The first bytes of a packed state that can differ from 0.
    std::size_t bytes() const { return bytes_; }
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
    std::size_t words_ = 0, bytes_ = 0;
};

std::uint64_t packed_hash(const Word* packed, std::size_t words);

// Assigns ids 0, 1, 2, … to distinct packed states, in order of insertion.
class StateRegistry {
  public:
    explicit StateRegistry(const Packing& packing);
    StateRegistry(const StateRegistry&) = delete;
    StateRegistry& operator=(const StateRegistry&) = delete;

    struct Inserted {
        StateId id;
        bool is_new;
    };
    Inserted insert(const Word* packed);
    StateId find(const Word* packed) const;  // kNoState if absent
    void read(StateId id, Word* packed) const {
        const std::byte* row = this->row(id);
        for (std::size_t i = 0; i + 1 < words_; ++i) packed[i] = word(row, i);
        packed[words_ - 1] = word(row, words_ - 1) & last_mask_;
    }
    std::size_t size() const { return size_; }
    std::size_t bytes() const;

  private:
    const std::byte* row(StateId id) const {
        return chunks_[id >> chunk_bits_].get() + (id & chunk_mask_) * row_bytes_;
    }
    static Word word(const std::byte* row, std::size_t i) {
        Word word;
        std::memcpy(&word, row + i * sizeof(Word), sizeof(Word));
        return word;
    }
    bool equal(StateId id, const Word* packed) const {
        const std::byte* row = this->row(id);
        for (std::size_t i = 0; i + 1 < words_; ++i)
            if (word(row, i) != packed[i]) return false;
        return (word(row, words_ - 1) & last_mask_) == packed[words_ - 1];
    }
    StateId find(const Word* packed, const StateIndex::Bucket& bucket) const;
    std::uint64_t hash(const Word* packed) const { return packed_hash(packed, words_); }
    void write_hashes(std::span<const StateId> ids, std::span<std::uint64_t> hashes) const;
    std::size_t chunk_bytes() const;

    std::size_t words_, row_bytes_;
    Word last_mask_;  // of the bits that rows have of the last word
    std::uint32_t chunk_bits_;
    StateId chunk_mask_;
    std::vector<std::unique_ptr<std::byte[]>> chunks_;
    StateIndex index_;
    std::size_t size_ = 0;
};

}  // namespace bugsieve
