// Finds the ids of states by their hashes, in little more memory than the ids take.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace bugsieve {

using StateId = std::uint32_t;

constexpr StateId kNoState = 0xffffffff;

// The upper bits of a hash name a page and a bucket in it. A page keeps its ids without gaps, in
// the order of their buckets and in as few bits as an id needs. Beside them stand the sizes of the
// buckets in unary: a 1 for each id, then a 0. When the pages are full on average, all are split.
class StateIndex {
  public:
    StateIndex();

    // The ids of the states whose hashes begin alike.
    class Bucket {
      public:
        std::size_t size() const { return size_; }

      private:
        friend class StateIndex;
        std::size_t page_, first_bit_, first_, size_;
    };
    Bucket bucket(std::uint64_t hash) const;
    StateId id(const Bucket& bucket, std::size_t position) const {
        return id(pages_[bucket.page_], bucket.first_ + position);
    }

    bool is_full() const { return size_ == pages_.size() * kPageIds; }
    void add(const Bucket& bucket, StateId id);  // unless full; no bucket is valid after that

    // Writes the hashes of the ids behind them.
    using HashesOf = std::function<void(std::span<const StateId>, std::span<std::uint64_t>)>;
    // Makes room for as many ids again; no bucket is valid after that. Without the memory for it,
    // the index is lost and fails from then on.
    void split(const HashesOf& hashes_of);

    std::size_t bytes() const { return pages_.capacity() * sizeof(Page) + bytes_of_pages_; }

  private:
    static constexpr std::uint32_t kPageBits = 9, kBucketBits = 9;
    static constexpr std::size_t kPageIds = std::size_t{1} << kPageBits;
    static constexpr std::size_t kBuckets = std::size_t{1} << kBucketBits;
    static constexpr std::size_t kGrowth = 16;  // ids for which a page gets room at a time

    struct Page {
        std::unique_ptr<std::uint64_t[]> words;  // the sizes of the buckets, then the ids
        std::uint32_t size = 0, capacity = 0;
    };

    explicit StateIndex(std::uint32_t page_bits);  // without pages

    static std::size_t words_of_sizes(std::size_t capacity) {
        return (kBuckets + capacity + 63) / 64;
    }
    // One word more, so that any id can be read as part of a whole word.
    std::size_t words_of_ids(std::size_t capacity) const {
        return (capacity * width_ + 63) / 64 + 1;
    }
    std::size_t words_of(std::size_t capacity) const {
        return words_of_sizes(capacity) + words_of_ids(capacity);
    }
    static std::uint64_t* ids_of(const Page& page) {
        return page.words.get() + words_of_sizes(page.capacity);
    }
    StateId id(const Page& page, std::size_t index) const {
        std::uint64_t bits;
        std::memcpy(&bits,
                    reinterpret_cast<const unsigned char*>(ids_of(page)) + (index * width_ >> 3),
                    sizeof bits);
        return static_cast<StateId>((bits >> (index * width_ & 7)) & id_mask_);
    }
    Page with_room(std::size_t ids);
    void grow(Page& page);

    std::vector<Page> pages_;
    std::size_t size_ = 0;
    std::size_t bytes_of_pages_ = 0;
    std::uint32_t bucket_shift_;  // leaves the bits of a hash that name page and bucket
    std::size_t width_;           // of an id, in bits
    std::uint64_t id_mask_;
};

}  // namespace bugsieve
