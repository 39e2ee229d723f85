#include <nanobind/stl/vector.h>

#include <algorithm>
#include <mutex>

#include "bindings/arrays.h"
#include "bindings/shared_network.h"
#include "policies/relational_values.h"

namespace bugsieve {

namespace {

using namespace nb::literals;

// Immutable and shared by the evaluators that use it.
struct SharedRelationalNetwork {
    std::shared_ptr<const RelationalNetwork> network;
};

RelationalNetwork::ReadOut read_out(const std::vector<SharedNetwork>& parts) {
    if (parts.size() == 1) return {nullptr, parts[0].network};
    if (parts.size() == 2) return {parts[0].network, parts[1].network};
    throw std::invalid_argument("a read-out has one part or two");
}

std::shared_ptr<const RelationalNetwork> make_relational(
    std::size_t width, std::size_t iterations, const std::vector<std::size_t>& arities,
    const std::vector<SharedNetwork>& modules, const SharedNetwork& update,
    const std::vector<SharedNetwork>& value, const std::vector<SharedNetwork>& solvable) {
    if (arities.size() != modules.size())
        throw std::invalid_argument("there must be as many modules as arities");
    std::vector<RelationalNetwork::Relation> relations;
    for (std::size_t r = 0; r < arities.size(); ++r)
        relations.push_back({arities[r], modules[r].network});
    std::optional<RelationalNetwork::ReadOut> second;
    if (!solvable.empty()) second = read_out(solvable);
    return std::make_shared<const RelationalNetwork>(width, iterations, std::move(relations),
                                                     update.network, read_out(value),
                                                     std::move(second));
}

// One call at a time: the values that it remembers and its buffers are shared.
class BoundRelationalValues {
  public:
    BoundRelationalValues(const Task& task, const SharedRelationalNetwork& network,
                          std::size_t objects, std::vector<std::uint32_t> relations,
                          const std::vector<std::vector<std::uint32_t>>& arguments,
                          std::vector<std::uint32_t> always,
                          const std::vector<std::vector<std::int64_t>>& of_values, bool baseline,
                          std::size_t threads, std::size_t max_bytes)
        : task_(task) {
        RelationalAtoms atoms{objects, std::move(relations), {}, std::move(always), {}};
        for (const std::vector<std::uint32_t>& objects_of_atom : arguments) {
            atoms.arguments.items.insert(atoms.arguments.items.end(), objects_of_atom.begin(),
                                         objects_of_atom.end());
            atoms.arguments.close();
        }
        for (const std::vector<std::int64_t>& values : of_values)
            atoms.of_values.push_back(numbers(values));
        atoms.check(task.full().fdr(), *network.network);
        values_ =
            std::make_unique<RelationalValues>(task.full(), network.network, std::move(atoms),
                                               baseline ? NetworkEvaluator::Instructions::kBaseline
                                                        : NetworkEvaluator::Instructions::kBest,
                                               threads, max_bytes);
    }

    Array<float> of_states(const States& states) {
        const std::vector<Value> rows = copied_rows(task_.full().fdr(), states);
        std::vector<float> found(rows_of(states));
        without_gil([&](Interrupts& interrupts) {
            const std::lock_guard lock(mutex_);
            values_->of_states(rows, found, interrupts);
            return 0;
        });
        return to_array(std::move(found));
    }

    Array<float> of_groups(const States& states, const Ids& offsets) {
        const std::vector<Value> rows = copied_rows(task_.full().fdr(), states);
        std::vector<float> found(rows_of(states));
        const std::vector<std::size_t> ends = checked_ends(offsets, found.size());
        without_gil([&](Interrupts& interrupts) {
            const std::lock_guard lock(mutex_);
            values_->of_groups(rows, ends, found, interrupts);
            return 0;
        });
        return to_array(std::move(found));
    }

  private:
    static std::vector<std::uint32_t> numbers(const std::vector<std::int64_t>& atoms) {
        std::vector<std::uint32_t> found;
        for (const std::int64_t atom : atoms)
            found.push_back(atom < 0 ? RelationalAtoms::kNoAtom
                                     : static_cast<std::uint32_t>(atom));
        return found;
    }

    static std::vector<std::size_t> checked_ends(const Ids& offsets, std::size_t rows) {
        std::vector<std::int64_t> given;
        for (std::size_t i = 0; i < offsets.shape(0); ++i) given.push_back(offsets(i));
        if (given.empty() || given.front() != 0 ||
            given.back() != static_cast<std::int64_t>(rows) ||
            !std::is_sorted(given.begin(), given.end()))
            throw std::invalid_argument("offsets must ascend from 0 to the number of states");
        return {given.begin() + 1, given.end()};
    }

    const Task& task_;
    std::mutex mutex_;
    std::unique_ptr<RelationalValues> values_;
};

}  // namespace

void bind_relational_networks(nb::module_& m) {
    nb::class_<SharedRelationalNetwork>(m, "RelationalNetwork")
        .def(
            "__init__",
            [](SharedRelationalNetwork* self, std::size_t width, std::size_t iterations,
               const std::vector<std::size_t>& arities, const std::vector<SharedNetwork>& modules,
               const SharedNetwork& update, const std::vector<SharedNetwork>& value,
               const std::vector<SharedNetwork>& solvable) {
                new (self) SharedRelationalNetwork{
                    make_relational(width, iterations, arities, modules, update, value, solvable)};
            },
            nb::kw_only(), "width"_a, "iterations"_a, "arities"_a, "modules"_a, "update"_a,
            "value"_a, "solvable"_a);
    nb::class_<BoundRelationalValues>(m, "RelationalValues")
        .def(nb::init<const Task&, const SharedRelationalNetwork&, std::size_t,
                      std::vector<std::uint32_t>, const std::vector<std::vector<std::uint32_t>>&,
                      std::vector<std::uint32_t>, const std::vector<std::vector<std::int64_t>>&,
                      bool, std::size_t, std::size_t>(),
             "task"_a, "network"_a, nb::kw_only(), "objects"_a, "relations"_a, "arguments"_a,
             "always"_a, "of_values"_a, "baseline"_a = false, "threads"_a = 1,
             "max_bytes"_a = RelationalValues::kMostBytes, nb::keep_alive<1, 2>())
        .def("of_states", &BoundRelationalValues::of_states, nb::arg("states").noconvert())
        .def("of_groups", &BoundRelationalValues::of_groups, nb::arg("states").noconvert(),
             nb::arg("offsets").noconvert());
}

}  // namespace bugsieve
