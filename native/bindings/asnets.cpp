#include <nanobind/stl/vector.h>

#include "bindings/arrays.h"
#include "heuristics/reachable_pairs.h"

namespace bugsieve {

namespace {

using namespace nb::literals;

using Numbers = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::vector<std::int32_t> copied(const Numbers& numbers) {
    return {numbers.data(), numbers.data() + numbers.shape(0)};
}

Lists<std::int32_t> copied_lists(const Numbers& starts, const Numbers& items) {
    Lists<std::int32_t> lists{copied(starts), copied(items)};
    bool fits = !lists.starts.empty() && lists.starts.front() == 0 &&
                lists.starts.back() == static_cast<std::int32_t>(lists.items.size());
    for (std::size_t k = 1; fits && k < lists.starts.size(); ++k)
        fits = lists.starts[k - 1] <= lists.starts[k];
    if (!fits) throw std::invalid_argument("starts must rise from 0 to the number of items");
    return lists;
}

Array<std::uint8_t> reached_by_pairs(std::size_t num_facts, const Numbers& initial,
                                     const Numbers& need_starts, const Numbers& needs,
                                     const Numbers& add_starts, const Numbers& adds,
                                     const Numbers& delete_starts, const Numbers& deletes) {
    const StripsTask task{num_facts, copied(initial), copied_lists(need_starts, needs),
                          copied_lists(add_starts, adds), copied_lists(delete_starts, deletes)};
    task.check();
    return to_array(without_gil(
        [&](Interrupts& interrupts) { return operators_reached_by_pairs(task, interrupts); }));
}

}  // namespace

void bind_asnets(nb::module_& m) {
    m.def("reached_by_pairs", reached_by_pairs, "num_facts"_a, "initial"_a, "need_starts"_a,
          "needs"_a, "add_starts"_a, "adds"_a, "delete_starts"_a, "deletes"_a);
}

}  // namespace bugsieve
