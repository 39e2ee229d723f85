#include "safety/state_numbers.h"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace bugsieve {

namespace {

constexpr std::uint32_t kFirstBits = 6;
constexpr std::uint32_t kMostBits = 32;
constexpr std::size_t kChunkBytes = 1 << 16;

}  // namespace

StateNumbers::StateNumbers(std::size_t words)
    : words_(words), home_shift_(32 - kFirstBits), slots_(std::size_t{1} << kFirstBits, 0) {
    const std::size_t row_bytes = std::max<std::size_t>(words, 1) * sizeof(std::uint64_t);
    const std::size_t per_chunk = std::max<std::size_t>(kChunkBytes / row_bytes, 1);
    chunk_bits_ = static_cast<std::uint32_t>(std::bit_width(per_chunk)) - 1;
    chunk_mask_ = (StateId{1} << chunk_bits_) - 1;
}

std::uint32_t StateNumbers::hash(const std::uint64_t* row) const {
    std::uint64_t h = words_;
    for (std::size_t i = 0; i < words_; ++i) {
        const auto product = static_cast<unsigned __int128>((h ^ row[i]) + 0x9e3779b97f4a7c15ULL) *
                             0xd6e8feb86659fd93ULL;
        h = static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
    }
    h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9ULL;
    return static_cast<std::uint32_t>(h >> 32);
}

bool StateNumbers::equal(StateId id, const std::uint64_t* row) const {
    const std::uint64_t* known = (*this)[id];
    for (std::size_t i = 0; i < words_; ++i)
        if (known[i] != row[i]) return false;
    return true;
}

StateNumbers::Inserted StateNumbers::insert(const std::uint64_t* row, std::uint32_t wanted) {
    if (size_ + 1 > slots_.size() / 4 * 3) grow();
    std::size_t slot = home(wanted);
    while (slots_[slot] != 0) {
        if (static_cast<std::uint32_t>(slots_[slot] >> 32) == wanted) {
            const StateId id = static_cast<StateId>(slots_[slot]) - 1;
            if (equal(id, row)) return {id, false};
        }
        slot = (slot + 1) & (slots_.size() - 1);
    }
    slots_[slot] = std::uint64_t{wanted} << 32 | (size_ + 1);
    append(row);
    return {static_cast<StateId>(size_ - 1), true};
}

void StateNumbers::append(const std::uint64_t* row) {
    if ((size_ & chunk_mask_) == 0)
        chunks_.push_back(std::make_unique_for_overwrite<std::uint64_t[]>(
            (std::size_t{chunk_mask_} + 1) * words_));
    std::copy_n(row, words_, chunks_.back().get() + (size_ & chunk_mask_) * words_);
    ++size_;
}

void StateNumbers::grow() {
    if (home_shift_ == 32 - kMostBits) throw std::length_error("too many states");
    std::vector<std::uint64_t> old(slots_.size() * 2, 0);
    old.swap(slots_);
    --home_shift_;
    for (const std::uint64_t item : old) {
        if (item == 0) continue;
        std::size_t slot = home(static_cast<std::uint32_t>(item >> 32));
        while (slots_[slot] != 0) slot = (slot + 1) & (slots_.size() - 1);
        slots_[slot] = item;
    }
}

std::size_t StateNumbers::bytes() const {
    return chunks_.size() * (std::size_t{chunk_mask_} + 1) * words_ * sizeof(std::uint64_t) +
           chunks_.capacity() * sizeof(chunks_[0]) + slots_.capacity() * sizeof(slots_[0]);
}

}  // namespace bugsieve
