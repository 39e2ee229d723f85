#include "dominance/finite_pairs.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace bugsieve {

namespace {

constexpr std::size_t kMaxSets = 1024;  // a factor; a bit in each of them is kept for every state

using Places = std::vector<bool>;

// The places that are connected with each one, whichever way bounds go.
std::vector<Places> connected(const Square<Distance>& table) {
    const std::size_t n = table.size();
    std::vector<std::size_t> above(n);
    std::iota(above.begin(), above.end(), std::size_t{0});
    const auto find = [&](std::size_t i) {
        while (above[i] != i) i = above[i] = above[above[i]];
        return i;
    };
    for (std::size_t s = 0; s < n; ++s)
        for (std::size_t t = 0; t < n; ++t)
            if (table(s, t) != kNoBoundOf) above[find(s)] = find(t);
    std::vector<Places> result(n, Places(n, false));
    for (std::size_t s = 0; s < n; ++s)
        for (std::size_t t = 0; t < n; ++t) result[s][t] = find(s) == find(t);
    return result;
}

double share_of_finite(const Square<Distance>& table) {
    const auto& items = table.items();
    const auto finite = std::ranges::count_if(items, [](Distance d) { return d != kNoBoundOf; });
    return items.empty() ? 0 : static_cast<double>(finite) / static_cast<double>(items.size());
}

}  // namespace

FinitePairs::FinitePairs(const DominanceTables& tables) {
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t i = 0; i < tables.size(); ++i)
        order.emplace_back(share_of_finite(tables[i]), i);
    std::ranges::sort(order);
    for (const auto& [share, factor] : order) parts_.push_back(make_part(tables[factor], factor));
}

FinitePairs::Part FinitePairs::make_part(const Square<Distance>& table, std::size_t factor) {
    const std::size_t n = table.size();
    std::vector<Places> from(n, Places(n)), into(n, Places(n));
    for (std::size_t s = 0; s < n; ++s)
        for (std::size_t t = 0; t < n; ++t) from[s][t] = into[t][s] = table(s, t) != kNoBoundOf;
    std::map<Places, std::int32_t> numbers;
    for (const auto* rows : {&from, &into})
        for (const Places& row : *rows)
            numbers.try_emplace(row, static_cast<std::int32_t>(numbers.size()));
    if (numbers.size() > kMaxSets) {  // more than is needed, in fewer sets
        from = into = connected(table);
        numbers.clear();
        for (const Places& row : from)
            numbers.try_emplace(row, static_cast<std::int32_t>(numbers.size()));
    }
    Part part{factor, {}, {}, std::vector<std::vector<std::int32_t>>(n), {}};
    for (std::size_t x = 0; x < n; ++x) {
        part.from.push_back(numbers.at(from[x]));
        part.into.push_back(numbers.at(into[x]));
    }
    for (const auto& [row, set] : numbers)
        for (std::size_t x = 0; x < n; ++x)
            if (row[x]) part.sets[x].push_back(set);
    part.bitmaps.resize(numbers.size());
    return part;
}

void FinitePairs::add(std::span<const Place> places) {
    const std::size_t number = size_++;
    if (size_ > capacity_) {
        capacity_ = std::max<std::size_t>(1024, (capacity_ + capacity_ / 2) / 64 * 64);
        for (Part& part : parts_)
            for (Bitmap& bitmap : part.bitmaps) {
                bitmap.words.resize(capacity_ / 64);
                bitmap.blocks.resize(capacity_ / 64 / 64 + 1);
            }
    }
    if (std::ranges::find(places, kNowhere) != places.end()) return;
    for (Part& part : parts_)
        for (const std::int32_t set : part.sets[places[part.factor]]) {
            Bitmap& bitmap = part.bitmaps[static_cast<std::size_t>(set)];
            bitmap.words[number / 64] |= Word{1} << (number % 64);
            bitmap.blocks[number / 64 / 64] |= Word{1} << (number / 64 % 64);
        }
}

std::size_t FinitePairs::bytes() const {
    std::size_t bytes = 0;
    for (const Part& part : parts_)
        for (const Bitmap& bitmap : part.bitmaps)
            bytes += (bitmap.words.capacity() + bitmap.blocks.capacity()) * sizeof(Word);
    return bytes;
}

}  // namespace bugsieve
