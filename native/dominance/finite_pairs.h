// Finds the states between which a dominance function has a bound, among many, with few looks.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "dominance/fix_point.h"

namespace bugsieve {

using Place = std::uint16_t;        // a state of a factor
constexpr Place kNowhere = 0xffff;  // where it was pruned: no bounds at all

// States have numbers from 0 on and are added in their order. A factor has sets of places that are
// finite from, or into, one of its places. For each set there is a bitmap of the states in it;
// equal sets share one. A question is the intersection of one bitmap a factor, first of blocks of
// 64 states: what is met together is often alike.
class FinitePairs {
  public:
    explicit FinitePairs(const DominanceTables& tables);

    void add(std::span<const Place> places);
    std::size_t size() const { return size_; }
    std::size_t bytes() const;

    // Calls visit(number) for the states t, in their order, with D(s, t) maybe finite in every
    // factor, where s has these places.
    template <class Visit>
    void from(std::span<const Place> s, Visit visit) const {
        intersect(s, true, visit);
    }
    // The same for D(t, s).
    template <class Visit>
    void into(std::span<const Place> s, Visit visit) const {
        intersect(s, false, visit);
    }

  private:
    using Word = std::uint64_t;
    struct Bitmap {
        std::vector<Word> words;
        std::vector<Word> blocks;  // a bit for each word that is not 0
    };
    struct Part {
        std::size_t factor;
        std::vector<std::int32_t> from, into;         // by place: a set
        std::vector<std::vector<std::int32_t>> sets;  // by place: those it is in
        std::vector<Bitmap> bitmaps;                  // by set
    };

    static Part make_part(const Square<Distance>& table, std::size_t factor);

    template <class Visit>
    void intersect(std::span<const Place> places, bool is_from, Visit visit) const {
        std::vector<const Bitmap*> maps;
        for (const Part& part : parts_) {
            const Place place = places[part.factor];
            if (place == kNowhere) return;
            const std::int32_t set = is_from ? part.from[place] : part.into[place];
            maps.push_back(&part.bitmaps[static_cast<std::size_t>(set)]);
        }
        if (maps.empty()) return;
        const auto meet = [&](auto words, std::size_t w) {
            Word left = (maps[0]->*words)[w];
            for (std::size_t i = 1; left != 0 && i < maps.size(); ++i)
                left &= (maps[i]->*words)[w];
            return left;
        };
        const auto each = [](Word left, std::size_t w, auto visit) {
            for (; left != 0; left &= left - 1)
                visit(w * 64 + static_cast<std::size_t>(std::countr_zero(left)));
        };
        for (std::size_t w = 0; w * 64 * 64 < size_; ++w)
            each(meet(&Bitmap::blocks, w), w, [&](std::size_t block) {
                each(meet(&Bitmap::words, block), block,
                     [&](std::size_t number) { visit(static_cast<std::uint32_t>(number)); });
            });
    }

    std::vector<Part> parts_;  // those that leave fewest states come first
    std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace bugsieve
