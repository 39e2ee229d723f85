#include "heuristics/first_layers.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace bugsieve {

Lists<std::int32_t> inverted(const Lists<std::int32_t>& lists, std::size_t count) {
    Lists<std::int32_t> result;
    result.starts.assign(count + 1, 0);
    for (const std::int32_t item : lists.items)
        ++result.starts[static_cast<std::size_t>(item) + 1];
    std::partial_sum(result.starts.begin(), result.starts.end(), result.starts.begin());
    result.items.resize(lists.items.size());
    std::vector<std::int32_t> next(result.starts.begin(), result.starts.end() - 1);
    for (std::size_t list = 0; list < lists.size(); ++list)
        for (const std::int32_t item : lists[list])
            result.items[static_cast<std::size_t>(next[static_cast<std::size_t>(item)]++)] =
                static_cast<std::int32_t>(list);
    return result;
}

std::vector<std::size_t> by_first_layer(const Lists<std::int32_t>& preconditions,
                                        const Lists<std::int32_t>& effects, std::size_t num_facts,
                                        std::span<const std::int32_t> facts,
                                        Interrupts& interrupts) {
    constexpr std::int32_t kNever = std::numeric_limits<std::int32_t>::max();
    std::vector<std::size_t> missing;
    std::vector<std::int32_t> layer(preconditions.size(), kNever);
    std::vector<std::size_t> ready;  // operators in the order in which they apply
    for (std::size_t op = 0; op < preconditions.size(); ++op) {
        missing.push_back(preconditions[op].size());
        if (missing.back() > 0) continue;
        layer[op] = 0;
        ready.push_back(op);
    }
    const Lists<std::int32_t> needed_by = inverted(preconditions, num_facts);
    std::vector<bool> reached(num_facts, false);
    const auto reach = [&](std::int32_t fact, std::int32_t now) {
        const auto f = static_cast<std::size_t>(fact);
        if (reached[f]) return;
        reached[f] = true;
        for (const std::int32_t op : needed_by[f]) {
            const auto o = static_cast<std::size_t>(op);
            if (--missing[o] > 0) continue;
            layer[o] = now;
            ready.push_back(o);
        }
    };
    for (const std::int32_t fact : facts) reach(fact, 0);
    for (std::size_t i = 0; i < ready.size(); ++i) {
        interrupts.check();
        for (const std::int32_t fact : effects[ready[i]]) reach(fact, layer[ready[i]] + 1);
    }
    std::vector<std::size_t> order(preconditions.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t x, std::size_t y) { return layer[x] < layer[y]; });
    return order;
}

}  // namespace bugsieve
