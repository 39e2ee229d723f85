#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bindings/arrays.h"
#include "bindings/shared_network.h"
#include "networks/network_policy.h"

namespace bugsieve {

namespace {

using namespace nb::literals;
using jani::JaniSystem;

using Matrix = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Vector = nb::ndarray<const float, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Scales = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

constexpr std::size_t kWorkBetweenLooks = 1 << 22;  // multiplications

std::shared_ptr<const Network> make_network(const std::vector<Matrix>& weights,
                                            const std::vector<Vector>& biases,
                                            const std::string& activation) {
    if (weights.size() != biases.size())
        throw std::invalid_argument("there must be as many biases as weights");
    std::vector<Network::Layer> layers;
    for (std::size_t k = 0; k < weights.size(); ++k) {
        if (biases[k].shape(0) != weights[k].shape(0))
            throw std::invalid_argument("layer " + std::to_string(k) + " has " +
                                        std::to_string(weights[k].shape(0)) + " outputs, but " +
                                        std::to_string(biases[k].shape(0)) + " biases");
        layers.emplace_back(weights[k].shape(1), weights[k].shape(0), weights[k].data(),
                            biases[k].data());
    }
    return std::make_shared<const Network>(std::move(layers), activation_named(activation));
}

// Calls `work(begin, count)` for portions of the rows that take milliseconds.
template <class Work>
void in_portions(const Network& network, std::size_t rows, Work work) {
    const std::size_t portion = std::max<std::size_t>(1, kWorkBetweenLooks / network.work());
    without_gil([&](Interrupts& interrupts) {
        for (std::size_t begin = 0; begin < rows; begin += portion) {
            interrupts.check();
            work(begin, std::min(portion, rows - begin));
        }
        return 0;
    });
}

Array<float> outputs(const SharedNetwork& self, const Matrix& batch, bool baseline) {
    const Network& network = *self.network;
    const std::size_t rows = batch.shape(0), width = network.inputs(), depth = network.outputs();
    if (batch.shape(1) != width)
        throw std::invalid_argument("rows have " + std::to_string(batch.shape(1)) +
                                    " columns, but the network has " + std::to_string(width) +
                                    " inputs");
    const std::vector<float> inputs(batch.data(), batch.data() + batch.size());
    std::vector<float> scores(rows * depth);
    NetworkEvaluator evaluator(self.network, baseline ? NetworkEvaluator::Instructions::kBaseline
                                                      : NetworkEvaluator::Instructions::kBest);
    in_portions(network, rows, [&](std::size_t begin, std::size_t count) {
        for (std::size_t at = begin; at < begin + count; at += evaluator.capacity()) {
            const std::size_t block = std::min(evaluator.capacity(), begin + count - at);
            for (std::size_t r = 0; r < block; ++r)
                std::copy_n(inputs.data() + (at + r) * width, width, evaluator.input(r));
            evaluator.run(block);
            for (std::size_t r = 0; r < block; ++r)
                std::copy_n(evaluator.scores(r), depth, scores.data() + (at + r) * depth);
        }
    });
    return to_array(std::move(scores), {rows, depth});
}

std::shared_ptr<const NetworkReading> make_reading(
    const SharedNetwork& network, const JaniSystem& system, std::vector<std::uint32_t> inputs,
    std::vector<std::int32_t> actions, const Scales& scales, bool filter, double epsilon) {
    NetworkReading reading{
        network.network, system.shared_model(), std::move(inputs), {}, std::move(actions), filter,
        epsilon};
    if (scales.shape(1) != 4) throw std::invalid_argument("scales have four columns");
    for (std::size_t k = 0; k < scales.shape(0); ++k) {
        const NetworkReading::Scale scale{scales(k, 0), scales(k, 1), scales(k, 2), scales(k, 3)};
        if (!(scale.lower <= scale.upper)) throw std::invalid_argument("bounds are reversed");
        reading.scales.push_back(scale);
    }
    reading.check();
    return std::make_shared<const NetworkReading>(std::move(reading));
}

// With buffers of its own, so that threads may share a policy.
Array<std::int32_t> choose(const NetworkPolicy& shared, const PackedStates& states) {
    const NetworkReading& reading = *shared.reading();
    const std::size_t width = reading.model->packing.words();
    if (states.shape(1) != width) throw std::invalid_argument("rows of a wrong number of words");
    const std::vector<std::uint64_t> words(states.data(), states.data() + states.size());
    std::vector<std::int32_t> actions(states.shape(0));
    NetworkPolicy policy(shared.reading());
    in_portions(*reading.network, actions.size(), [&](std::size_t begin, std::size_t count) {
        policy.actions(words.data() + begin * width, count, actions.data() + begin);
    });
    return to_array(std::move(actions));
}

}  // namespace

void bind_networks(nb::module_& m) {
    nb::class_<SharedNetwork>(m, "Network")
        .def(
            "__init__",
            [](SharedNetwork* self, const std::vector<Matrix>& weights,
               const std::vector<Vector>& biases, const std::string& activation) {
                new (self) SharedNetwork{make_network(weights, biases, activation)};
            },
            "weights"_a, "biases"_a, "activation"_a)
        .def_prop_ro("num_inputs", [](const SharedNetwork& s) { return s.network->inputs(); })
        .def_prop_ro("num_outputs", [](const SharedNetwork& s) { return s.network->outputs(); })
        .def("outputs", outputs, "batch"_a, nb::kw_only(), "baseline"_a = false);
    nb::class_<NetworkPolicy, PolicyView>(m, "NetworkPolicy")
        .def(
            "__init__",
            [](NetworkPolicy* self, const SharedNetwork& network, const JaniSystem& system,
               std::vector<std::uint32_t> inputs, std::vector<std::int32_t> actions,
               const Scales& scales, bool filter, double epsilon) {
                new (self)
                    NetworkPolicy(make_reading(network, system, std::move(inputs),
                                               std::move(actions), scales, filter, epsilon));
            },
            "network"_a, "system"_a, nb::kw_only(), "inputs"_a, "actions"_a, "scales"_a,
            "filter"_a, "epsilon"_a)
        .def("copy", [](const NetworkPolicy& p) { return NetworkPolicy(p.reading()); })
        .def("choose", choose, "states"_a);
}

}  // namespace bugsieve
