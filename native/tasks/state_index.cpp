#include "tasks/state_index.h"

#include <algorithm>
#include <bit>
#include <new>
#include <stdexcept>
#include <utility>

namespace bugsieve {

namespace {

constexpr std::size_t kWordBits = 64;

// In plain operations: processors without an instruction for it call a function otherwise.
std::uint64_t ones_in(std::uint64_t word) {
    word -= (word >> 1) & 0x5555555555555555ULL;
    word = (word & 0x3333333333333333ULL) + ((word >> 2) & 0x3333333333333333ULL);
    return (((word + (word >> 4)) & 0x0f0f0f0f0f0f0f0fULL) * 0x0101010101010101ULL) >> 56;
}

// The position behind the n-th 0.
std::size_t behind_zero(const std::uint64_t* words, std::uint64_t n) {
    if (n == 0) return 0;
    std::size_t at = 0;
    std::uint64_t zeros = ~words[0];
    for (std::uint64_t count; (count = ones_in(zeros)) < n; zeros = ~words[++at]) n -= count;
    std::size_t bit = 0;
    for (std::uint32_t half = kWordBits / 2; half >= 8; half /= 2) {
        const std::uint64_t count = ones_in(zeros & ((std::uint64_t{1} << half) - 1));
        if (count >= n) continue;
        n -= count;
        zeros >>= half;
        bit += half;
    }
    for (; n > 1; --n) zeros &= zeros - 1;
    return at * kWordBits + bit + static_cast<std::size_t>(std::countr_zero(zeros)) + 1;
}

std::size_t ones_from(const std::uint64_t* words, std::size_t bit) {
    std::size_t at = bit / kWordBits;
    std::uint64_t zeros = ~words[at] >> bit % kWordBits;
    std::size_t ones = 0;
    if (zeros == 0) {
        ones = kWordBits - bit % kWordBits;
        while ((zeros = ~words[++at]) == 0) ones += kWordBits;
    }
    return ones + static_cast<std::size_t>(std::countr_zero(zeros));
}

// Moves the bits from `at` to `end` upwards and puts the value there, `width` bits of 1 to 63.
void insert_bits(std::uint64_t* words, std::size_t at, std::size_t end, std::uint64_t value,
                 std::size_t width) {
    const std::size_t first = at / kWordBits, last = (end + width - 1) / kWordBits;
    const std::size_t offset = at % kWordBits;
    for (std::size_t i = last; i > first + 1; --i)
        words[i] = words[i] << width | words[i - 1] >> (kWordBits - width);
    const std::uint64_t kept = words[first] & ((std::uint64_t{1} << offset) - 1);
    const std::uint64_t moved = words[first] ^ kept;
    if (last > first) {
        words[first + 1] = words[first + 1] << width | moved >> (kWordBits - width);
        if (offset + width > kWordBits) words[first + 1] |= value >> (kWordBits - offset);
    }
    words[first] = kept | value << offset;
    if (offset + width < kWordBits) words[first] |= moved << width;
}

}  // namespace

StateIndex::StateIndex() : StateIndex(0) { pages_.push_back(with_room(kGrowth)); }

StateIndex::StateIndex(std::uint32_t page_bits)
    : bucket_shift_(64 - kBucketBits - page_bits),
      width_(page_bits + kPageBits),
      id_mask_((std::uint64_t{1} << width_) - 1) {
    if (width_ >= 32) throw std::length_error("too many states");
}

StateIndex::Page StateIndex::with_room(std::size_t ids) {
    Page page;
    page.capacity = static_cast<std::uint32_t>((ids + kGrowth - 1) / kGrowth * kGrowth);
    page.words = std::make_unique<std::uint64_t[]>(words_of(page.capacity));
    bytes_of_pages_ += words_of(page.capacity) * sizeof(std::uint64_t);
    return page;
}

void StateIndex::grow(Page& page) {
    Page larger = with_room(page.capacity + 1);
    std::copy_n(page.words.get(), words_of_sizes(page.capacity), larger.words.get());
    std::copy_n(ids_of(page), words_of_ids(page.capacity), ids_of(larger));
    larger.size = page.size;
    bytes_of_pages_ -= words_of(page.capacity) * sizeof(std::uint64_t);
    page = std::move(larger);
}

StateIndex::Bucket StateIndex::bucket(std::uint64_t hash) const {
    if (pages_.empty()) throw std::bad_alloc();  // as when they were to be split
    const std::uint64_t place = hash >> bucket_shift_;
    const std::uint64_t index = place & (kBuckets - 1);
    Bucket bucket;
    bucket.page_ = static_cast<std::size_t>(place >> kBucketBits);
    const Page& page = pages_[bucket.page_];
    // About where the ids will turn out to be.
    __builtin_prefetch(ids_of(page) + index * page.size / kBuckets * width_ / kWordBits);
    const std::uint64_t* sizes = page.words.get();
    // Sizes are unary: a 1 for each id of a bucket and a 0 behind it. So what lies before the
    // bucket is as many zeros as there are buckets before it, and the rest are ids.
    bucket.first_bit_ = behind_zero(sizes, index);
    bucket.first_ = bucket.first_bit_ - static_cast<std::size_t>(index);
    bucket.size_ = ones_from(sizes, bucket.first_bit_);
    return bucket;
}

void StateIndex::add(const Bucket& bucket, StateId id) {
    Page& page = pages_[bucket.page_];
    if (page.size == page.capacity) grow(page);
    std::uint64_t* sizes = page.words.get();
    insert_bits(sizes, bucket.first_bit_, kBuckets + page.size, 1, 1);
    insert_bits(ids_of(page), (bucket.first_ + bucket.size_) * width_, page.size * width_, id,
                width_);
    ++page.size;
    ++size_;
}

void StateIndex::split(const HashesOf& hashes_of) {
    StateIndex larger(static_cast<std::uint32_t>(std::bit_width(pages_.size())));
    larger.pages_.reserve(2 * pages_.size());
    std::vector<StateId> ids;
    std::vector<std::uint64_t> hashes;
    // Page by page, each freed before its halves are filled: two copies of the whole index never
    // exist. Should memory run out on the way, bucket() finds no pages and says so.
    std::vector<Page> pages = std::exchange(pages_, {});
    for (Page& page : pages) {
        ids.resize(page.size);
        hashes.resize(page.size);
        for (std::size_t i = 0; i < page.size; ++i) ids[i] = id(page, i);
        page.words.reset();
        hashes_of(ids, hashes);
        for (int half = 0; half < 2; ++half)
            larger.pages_.push_back(larger.with_room(ids.size() / 2));
        // In the order of the buckets, so that few ids move.
        for (std::size_t i = 0; i < ids.size(); ++i) larger.add(larger.bucket(hashes[i]), ids[i]);
    }
    *this = std::move(larger);
}

}  // namespace bugsieve
