#include "networks/network.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace bugsieve {

namespace {

void run_baseline(const DenseLayer& t) { run_dense<16, 2>(t); }

#if defined(__x86_64__)
[[gnu::target("avx2")]] void run_avx2(const DenseLayer& t) { run_dense<32, 4>(t); }
const bool kHasAvx2 = __builtin_cpu_supports("avx2") != 0;
#endif

void run_best(const DenseLayer& t) {
#if defined(__x86_64__)
    if (kHasAvx2) return run_avx2(t);
#endif
    run_baseline(t);
}

constexpr std::size_t kWorkOfActivation = 64;  // in multiplications, at most
constexpr std::size_t kMostRows = 64;
constexpr std::size_t kMostLines = 1 << 14;  // of a buffer, unless one row takes more

}  // namespace

Network::Layer::Layer(std::size_t inputs, std::size_t outputs, const float* weights,
                      const float* biases)
    : inputs(inputs),
      outputs(outputs),
      weights(stripes(outputs) * inputs, Line{}),
      biases(stripes(outputs), Line{}) {
    for (std::size_t o = 0; o < outputs; ++o) {
        const std::size_t stripe = o / kStripe, lane = o % kStripe;
        this->biases[stripe].lanes[lane] = biases[o];
        for (std::size_t i = 0; i < inputs; ++i)
            this->weights[stripe * inputs + i].lanes[lane] = weights[o * inputs + i];
    }
}

Network::Network(std::vector<Layer> layers, Activation activation)
    : layers_(std::move(layers)), activation_(activation) {
    if (layers_.empty()) throw std::invalid_argument("a network needs a layer");
    for (std::size_t k = 0; k < layers_.size(); ++k) {
        if (layers_[k].inputs == 0 || layers_[k].outputs == 0)
            throw std::invalid_argument("layer " + std::to_string(k) + " is empty");
        if (k > 0 && layers_[k].inputs != layers_[k - 1].outputs)
            throw std::invalid_argument("layer " + std::to_string(k) + " takes " +
                                        std::to_string(layers_[k].inputs) +
                                        " inputs, but the one before it has " +
                                        std::to_string(layers_[k - 1].outputs) + " outputs");
    }
}

std::size_t Network::widest() const {
    std::size_t most = stripes(inputs());
    for (const Layer& layer : layers_) most = std::max(most, stripes(layer.outputs));
    return most;
}

std::size_t Network::work() const {
    std::size_t sum = 0;
    for (const Layer& layer : layers_)
        sum += layer.weights.size() * kStripe + layer.outputs * kWorkOfActivation;
    return sum;
}

NetworkEvaluator::NetworkEvaluator(std::shared_ptr<const Network> network,
                                   Instructions instructions)
    : network_(std::move(network)),
      instructions_(instructions),
      stride_(network_->widest()),
      capacity_(std::clamp<std::size_t>(kMostLines / stride_, 1, kMostRows)) {
    for (auto& buffer : buffers_) buffer.assign(capacity_ * stride_, Line{});
}

void NetworkEvaluator::run(std::size_t rows) {
    const std::vector<Network::Layer>& layers = network_->layers();
    for (std::size_t k = 0; k < layers.size(); ++k) {
        const Network::Layer& layer = layers[k];
        const bool is_last = k + 1 == layers.size();
        const bool is_relu = network_->activation() == Activation::kRelu;
        std::vector<Line>& out = buffers_[(k + 1) % 2];
        const DenseLayer tables{layer.inputs,
                                layer.biases.size(),
                                layer.weights.data(),
                                layer.biases.data(),
                                buffers_[k % 2].data(),
                                out.data(),
                                stride_,
                                stride_,
                                rows,
                                is_relu && !is_last};
        if (instructions_ == Instructions::kBest)
            run_best(tables);
        else
            run_baseline(tables);
        if (is_last || is_relu) continue;  // ReLU was done while the sums were in registers
        for (std::size_t row = 0; row < rows; ++row)
            apply(network_->activation(), out[row * stride_].lanes, layer.outputs);
    }
}

}  // namespace bugsieve
