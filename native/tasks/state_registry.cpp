#include "tasks/state_registry.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <stdexcept>

namespace bugsieve {

namespace {

constexpr std::size_t kFirstSlots = 64;
constexpr double kFullest = 0.93;
constexpr double kGrowth = 1.1;
constexpr std::size_t kTagBits = 3;
constexpr StateId kAhead = 32;  // slots fetched before they are needed
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

StateRegistry::StateRegistry(std::size_t words) : words_(words), slots_(kFirstSlots) {
    const std::size_t per_chunk = std::max<std::size_t>(kChunkBytes / (words * sizeof(Word)), 1);
    chunk_bits_ = static_cast<std::uint32_t>(std::bit_width(per_chunk)) - 1;
    chunk_mask_ = (StateId{1} << chunk_bits_) - 1;
}

StateRegistry::Slots::Slots(std::size_t size)
    : size_(size),
      // Ids plus one never exceed the number of slots, as some always stay empty.
      width_(static_cast<std::size_t>(std::bit_width(size)) + kTagBits),
      id_mask_((std::uint64_t{1} << (width_ - kTagBits)) - 1),
      mask_((std::uint64_t{1} << width_) - 1),
      bits_((size * width_ + 7) / 8 + sizeof(std::uint64_t), 0) {}

void StateRegistry::Slots::set(std::size_t slot, std::uint64_t value) {
    const std::uint64_t bits = window(slot) | value << (slot * width_ & 7);
    std::memcpy(bits_.data() + (slot * width_ >> 3), &bits, sizeof bits);
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

std::size_t StateRegistry::look_up(const Word* packed, std::uint64_t hash) const {
    std::size_t slot = home(hash);
    for (std::uint64_t item; (item = slots_[slot]) != 0;) {
        if (slots_.may_be(item, hash) && equal(slots_.id(item), packed)) break;
        if (++slot == slots_.size()) slot = 0;
    }
    return slot;
}

StateId StateRegistry::find(const Word* packed) const {
    const std::uint64_t item = slots_[look_up(packed, hash(packed))];
    return item == 0 ? kNoState : slots_.id(item);
}

StateRegistry::Inserted StateRegistry::insert(const Word* packed) {
    if (static_cast<double>(size_ + 1) > kFullest * static_cast<double>(slots_.size())) grow();
    const std::uint64_t h = hash(packed);
    const std::size_t slot = look_up(packed, h);
    if (slots_[slot] != 0) return {slots_.id(slots_[slot]), false};
    const auto id = static_cast<StateId>(size_);
    if ((size_ & chunk_mask_) == 0)
        chunks_.push_back(
            std::make_unique_for_overwrite<Word[]>((std::size_t{chunk_mask_} + 1) * words_));
    std::copy_n(packed, words_, chunks_.back().get() + (size_ & chunk_mask_) * words_);
    slots_.set(slot, slots_.item(id, h));
    ++size_;
    return {id, true};
}

void StateRegistry::grow() {
    const auto larger = static_cast<std::size_t>(static_cast<double>(slots_.size()) * kGrowth);
    if (larger >= std::size_t{1} << 32) throw std::length_error("too many states");
    slots_ = Slots(larger);
    std::array<std::uint64_t, kAhead> hashes;
    for (StateId first = 0; first < size_; first += kAhead) {
        const auto count = std::min<StateId>(kAhead, static_cast<StateId>(size_) - first);
        for (StateId i = 0; i < count; ++i) {
            hashes[i] = hash((*this)[first + i]);
            slots_.prefetch(home(hashes[i]));
        }
        for (StateId i = 0; i < count; ++i) {
            std::size_t slot = home(hashes[i]);
            while (slots_[slot] != 0)
                if (++slot == slots_.size()) slot = 0;
            slots_.set(slot, slots_.item(first + i, hashes[i]));
        }
    }
}

std::size_t StateRegistry::bytes() const {
    return chunks_.size() * (std::size_t{chunk_mask_} + 1) * words_ * sizeof(Word) +
           chunks_.capacity() * sizeof(chunks_[0]) + slots_.bytes();
}

}  // namespace bugsieve
