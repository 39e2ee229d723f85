#include "tasks/state_registry.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <stdexcept>

namespace bugsieve {

namespace {

constexpr std::size_t kFirstSlots = 64;
constexpr double kFullest = 0.9;
constexpr double kGrowth = 1.2;
constexpr std::size_t kChunkBytes = 1 << 15;

}  // namespace

Packing::Packing(const FdrTask& task) : places_(task.num_variables()) {
    std::vector<std::size_t> by_width(task.num_variables());
    std::iota(by_width.begin(), by_width.end(), 0);
    const auto width = [&](std::size_t v) {
        return static_cast<std::uint32_t>(
            std::bit_width(static_cast<std::uint32_t>(task.domain_size(v) - 1)));
    };
    std::stable_sort(by_width.begin(), by_width.end(),
                     [&](std::size_t a, std::size_t b) { return width(a) > width(b); });
    std::vector<std::uint32_t> used;  // bits taken of each word
    std::size_t first_open = 0;
    for (const std::size_t v : by_width) {
        while (first_open < used.size() && used[first_open] == 32) ++first_open;
        std::size_t word = first_open;
        while (word < used.size() && used[word] + width(v) > 32) ++word;
        if (word == used.size()) used.push_back(0);
        places_[v] = {static_cast<std::uint32_t>(word), width(v) == 0 ? 0 : used[word],
                      (Word{1} << width(v)) - 1};
        used[word] += width(v);
    }
    words_ = std::max<std::size_t>(used.size(), 1);
}

void Packing::pack(StateView state, Word* packed) const {
    std::fill_n(packed, words_, Word{0});
    for (std::size_t v = 0; v < places_.size(); ++v)
        packed[places_[v].word] |= static_cast<Word>(state[v]) << places_[v].shift;
}

void Packing::unpack(const Word* packed, std::span<Value> state) const {
    for (std::size_t v = 0; v < places_.size(); ++v) state[v] = get(packed, v);
}

StateRegistry::StateRegistry(std::size_t words) : words_(words), slots_(kFirstSlots, 0) {
    const std::size_t per_chunk = std::max<std::size_t>(kChunkBytes / (words * sizeof(Word)), 1);
    chunk_bits_ = static_cast<std::uint32_t>(std::bit_width(per_chunk)) - 1;
    chunk_mask_ = (StateId{1} << chunk_bits_) - 1;
    id_mask_ = static_cast<std::uint32_t>(std::bit_ceil(kFirstSlots) - 1);
}

std::uint64_t StateRegistry::hash(const Word* packed) const {
    std::uint64_t h = words_;
    for (std::size_t i = 0; i < words_; ++i) {
        const auto product =
            static_cast<unsigned __int128>((h ^ packed[i]) + 0x9e3779b97f4a7c15ULL) *
            0xd6e8feb86659fd93ULL;
        h = static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
    }
    h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9ULL;
    return h ^ (h >> 31);
}

bool StateRegistry::equal(StateId id, const Word* packed) const {
    return std::memcmp((*this)[id], packed, words_ * sizeof(Word)) == 0;
}

StateId StateRegistry::find(const Word* packed) const {
    const std::uint64_t h = hash(packed);
    const std::uint32_t wanted = tag(h);
    for (std::size_t slot = home(h); slots_[slot] != 0;) {
        if ((slots_[slot] & ~id_mask_) == wanted) {
            const StateId id = (slots_[slot] & id_mask_) - 1;
            if (equal(id, packed)) return id;
        }
        if (++slot == slots_.size()) slot = 0;
    }
    return kNoState;
}

StateRegistry::Inserted StateRegistry::insert(const Word* packed) {
    if (static_cast<double>(size_ + 1) > kFullest * static_cast<double>(slots_.size())) grow();
    const std::uint64_t h = hash(packed);
    const std::uint32_t wanted = tag(h);
    std::size_t slot = home(h);
    while (slots_[slot] != 0) {
        if ((slots_[slot] & ~id_mask_) == wanted) {
            const StateId id = (slots_[slot] & id_mask_) - 1;
            if (equal(id, packed)) return {id, false};
        }
        if (++slot == slots_.size()) slot = 0;
    }
    const auto id = static_cast<StateId>(size_);
    if ((size_ & chunk_mask_) == 0)
        chunks_.push_back(
            std::make_unique_for_overwrite<Word[]>((std::size_t{chunk_mask_} + 1) * words_));
    std::copy_n(packed, words_, chunks_.back().get() + (size_ & chunk_mask_) * words_);
    slots_[slot] = wanted | (id + 1);
    ++size_;
    return {id, true};
}

void StateRegistry::grow() {
    const auto larger = static_cast<std::size_t>(static_cast<double>(slots_.size()) * kGrowth);
    if (larger >= std::size_t{1} << 32) throw std::length_error("too many states");
    std::vector<std::uint32_t>(larger, 0).swap(slots_);
    // Ids plus one never exceed the number of slots, as at most 90 % of them are taken.
    id_mask_ = static_cast<std::uint32_t>(std::bit_ceil(larger) - 1);
    for (StateId id = 0; id < size_; ++id) {
        const std::uint64_t h = hash((*this)[id]);
        std::size_t slot = home(h);
        while (slots_[slot] != 0)
            if (++slot == slots_.size()) slot = 0;
        slots_[slot] = tag(h) | (id + 1);
    }
}

std::size_t StateRegistry::bytes() const {
    return chunks_.size() * (std::size_t{chunk_mask_} + 1) * words_ * sizeof(Word) +
           chunks_.capacity() * sizeof(chunks_[0]) + slots_.capacity() * sizeof(slots_[0]);
}

}  // namespace bugsieve
