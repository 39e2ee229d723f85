#include "policies/value_cache.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace bugsieve {

ValueCache::ValueCache(const Packing& packing, std::size_t max_bytes)
    : words_(packing.words()),
      most_slots_(std::bit_floor(
          std::max<std::size_t>(max_bytes / (slot_words() * sizeof(Word)), kNeighbours))) {
    resize(std::min(kFirstSlots, most_slots_));
}

ValueCache::Head ValueCache::head(std::size_t index) const {
    Head head;
    std::memcpy(&head, table_.data() + index * slot_words(), sizeof head);
    return head;
}

void ValueCache::set_head(std::size_t index, const Head& head) {
    std::memcpy(slot(index), &head, sizeof head);
}

bool ValueCache::holds(std::size_t index, const Word* packed) {
    return std::equal(packed, packed + words_, slot(index) + slot_words() - words_);
}

std::size_t ValueCache::find(const Word* packed) {
    const std::size_t first = home(packed);
    for (std::size_t i = 0; i < kNeighbours; ++i) {
        const std::size_t index = first ^ i;
        if (head(index).batch == 0 || holds(index, packed)) return index;
    }
    return first;
}

// Nothing is removed, only replaced, so that no state lies behind an empty slot.
void ValueCache::resize(std::size_t slots) {
    const std::vector<Word> old = std::exchange(table_, std::vector<Word>(slots * slot_words()));
    const std::size_t old_slots = std::exchange(slots_, slots);
    used_ = 0;
    for (std::size_t i = 0; i < old_slots; ++i) {
        const Word* from = old.data() + i * slot_words();
        Head head;
        std::memcpy(&head, from, sizeof head);
        if (head.batch == 0 || head.value == kWaiting) continue;
        const Word* packed = from + slot_words() - words_;
        const std::size_t to = find(packed);
        used_ += this->head(to).batch == 0;
        std::copy_n(from, slot_words(), slot(to));
    }
}

void ValueCache::start_batch() {
    batch_.clear();
    waiting_.clear();
    if (++batch_number_ == 0) {  // all numbers were used: forget what bears them
        std::fill(table_.begin(), table_.end(), Word{0});
        used_ = 0;
        batch_number_ = 1;
    }
    if (2 * used_ >= slots_ && 2 * slots_ <= most_slots_) resize(2 * slots_);
}

ValueCache::Noted ValueCache::note(const Word* packed) {
    const std::size_t index = find(packed);
    const Head known = head(index);
    const bool is_known = known.batch != 0 && holds(index, packed);
    if (is_known && known.batch == batch_number_) return {known.place, false};
    const auto place = static_cast<std::uint32_t>(batch_.size());
    // One that waits since an earlier batch never got its value: that batch was given up.
    const std::int32_t value = is_known ? known.value : kWaiting;
    used_ += known.batch == 0;
    set_head(index, {value, batch_number_, place});
    std::copy_n(packed, words_, slot(index) + slot_words() - words_);
    batch_.push_back({value, index});
    if (value == kWaiting) waiting_.push_back(place);
    return {place, value == kWaiting};
}

void ValueCache::supply(const std::vector<std::int32_t>& values) {
    for (std::size_t i = 0; i < waiting_.size(); ++i) {
        const std::uint32_t place = waiting_[i];
        Entry& entry = batch_[place];
        entry.value = values[i];
        const Head now = head(entry.slot);
        if (now.batch == batch_number_ && now.place == place)  // unless another has its slot
            set_head(entry.slot, {values[i], batch_number_, place});
    }
    waiting_.clear();
}

}  // namespace bugsieve
