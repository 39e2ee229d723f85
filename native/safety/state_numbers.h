// Distinct states of a transition system, numbered in order of their first appearance.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace bugsieve {

using StateId = std::uint32_t;

class StateNumbers {
  public:
    explicit StateNumbers(std::size_t words);

    struct Inserted {
        StateId id;
        bool is_new;
    };
    Inserted insert(const std::uint64_t* row) { return insert(row, hash(row)); }
    // For many rows: `announce` each of them, `approach` each, then insert each, with the hashes
    // that the first step gave. The memory that one needs comes while the others are treated.
    std::uint32_t announce(const std::uint64_t* row) const {
        const std::uint32_t wanted = hash(row);
        __builtin_prefetch(slots_.data() + home(wanted));
        return wanted;
    }
    void approach(std::uint32_t wanted) const {
        const std::uint64_t item = slots_[home(wanted)];
        if (item >> 32 == wanted && item != 0)
            __builtin_prefetch((*this)[static_cast<StateId>(item) - 1]);
    }
    Inserted insert(const std::uint64_t* row, std::uint32_t wanted);
    // Rows stay where they are when others are inserted.
    const std::uint64_t* operator[](StateId id) const {
        return chunks_[id >> chunk_bits_].get() + (id & chunk_mask_) * words_;
    }
    std::size_t words() const { return words_; }
    std::size_t size() const { return size_; }
    std::size_t bytes() const;

  private:
    // The upper half of a slot is a hash, the lower half id + 1; 0 is empty. The slot a state
    // would like best follows from the upper bits of its hash, so that growing reads no rows.
    std::uint32_t hash(const std::uint64_t* row) const;
    std::size_t home(std::uint32_t hash) const { return hash >> home_shift_; }
    bool equal(StateId id, const std::uint64_t* row) const;
    void append(const std::uint64_t* row);
    void grow();

    std::size_t words_;
    std::uint32_t chunk_bits_;
    StateId chunk_mask_;
    std::uint32_t home_shift_;
    std::vector<std::unique_ptr<std::uint64_t[]>> chunks_;
    std::vector<std::uint64_t> slots_;
    std::size_t size_ = 0;
};

}  // namespace bugsieve
