#include "tasks/state_registry.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace bugsieve {

namespace {

constexpr std::size_t kAhead = 32;  // rows fetched before they are needed
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
    if (used.empty()) used.push_back(0);
    words_ = used.size();
    bytes_ = std::max<std::size_t>((words_ - 1) * sizeof(Word) + (used.back() + 7) / 8, 1);
}

void Packing::pack(StateView state, Word* packed) const {
    std::fill_n(packed, words_, Word{0});
    for (std::size_t v = 0; v < places_.size(); ++v)
        packed[places_[v].word] |= static_cast<Word>(state[v]) << places_[v].shift;
}

void Packing::unpack(const Word* packed, std::span<Value> state) const {
    for (std::size_t v = 0; v < places_.size(); ++v) state[v] = get(packed, v);
}

StateRegistry::StateRegistry(const Packing& packing)
    : words_(packing.words()),
      row_bytes_(packing.bytes()),
      last_mask_(~Word{0} >> 8 * (words_ * sizeof(Word) - row_bytes_)) {
    static_assert(std::endian::native == std::endian::little, "rows are cut at their last byte");
    const std::size_t per_chunk = std::max<std::size_t>(kChunkBytes / row_bytes_, 1);
    chunk_bits_ = static_cast<std::uint32_t>(std::bit_width(per_chunk)) - 1;
    chunk_mask_ = (StateId{1} << chunk_bits_) - 1;
}

std::uint64_t packed_hash(const Word* packed, std::size_t words) {
    std::uint64_t h = words;
    for (std::size_t i = 0; i < words; ++i) {
        const auto product =
            static_cast<unsigned __int128>((h ^ packed[i]) + 0x9e3779b97f4a7c15ULL) *
            0xd6e8feb86659fd93ULL;
        h = static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
    }
    h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9ULL;
    return h ^ (h >> 31);
}

StateId StateRegistry::find(const Word* packed, const StateIndex::Bucket& bucket) const {
    for (std::size_t i = 0; i < bucket.size(); ++i) {
        const StateId id = index_.id(bucket, i);
        if (equal(id, packed)) return id;
    }
    return kNoState;
}

StateId StateRegistry::find(const Word* packed) const {
    return find(packed, index_.bucket(hash(packed)));
}

StateRegistry::Inserted StateRegistry::insert(const Word* packed) {
    const std::uint64_t h = hash(packed);
    StateIndex::Bucket bucket = index_.bucket(h);
    const StateId known = find(packed, bucket);
    if (known != kNoState) return {known, false};
    if (index_.is_full()) {
        index_.split([this](auto ids, auto hashes) { write_hashes(ids, hashes); });
        bucket = index_.bucket(h);
    }
    const auto id = static_cast<StateId>(size_);
    if (size_ >> chunk_bits_ == chunks_.size())
        chunks_.push_back(std::make_unique_for_overwrite<std::byte[]>(chunk_bytes()));
    std::memcpy(chunks_.back().get() + (size_ & chunk_mask_) * row_bytes_, packed, row_bytes_);
    index_.add(bucket, id);
    ++size_;
    return {id, true};
}

void StateRegistry::write_hashes(std::span<const StateId> ids,
                                 std::span<std::uint64_t> hashes) const {
    std::vector<Word> packed(words_);
    for (std::size_t i = 0; i < std::min(kAhead, ids.size()); ++i) __builtin_prefetch(row(ids[i]));
    for (std::size_t i = 0; i < ids.size(); ++i) {
        if (i + kAhead < ids.size()) __builtin_prefetch(row(ids[i + kAhead]));
        read(ids[i], packed.data());
        hashes[i] = hash(packed.data());
    }
}

// Rows are read in whole words, also the last one.
std::size_t StateRegistry::chunk_bytes() const {
    return (std::size_t{chunk_mask_} + 1) * row_bytes_ + sizeof(Word) - 1;
}

std::size_t StateRegistry::bytes() const {
    return chunks_.size() * chunk_bytes() + chunks_.capacity() * sizeof(chunks_[0]) +
           index_.bytes();
}

}  // namespace bugsieve
