#include "networks/network.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace bugsieve {

namespace {

using Line = Network::Line;
constexpr std::size_t kStripe = Network::kStripe;

std::size_t stripes(std::size_t size) { return (size + kStripe - 1) / kStripe; }

// What one layer reads and writes, as raw pointers: the loops are compiled once for each
// instruction set and must not instantiate library code of their own.
struct Tables {
    std::size_t inputs;
    std::size_t stripes;
    const Line* weights;
    const Line* biases;
    const Line* in;
    Line* out;
    std::size_t stride;  // lines of a row, of `in` and of `out`
    std::size_t rows;
    bool is_rectified;  // sums below 0 become 0
};

template <std::size_t kBytes>
struct Register {
    typedef float Lanes [[gnu::vector_size(kBytes), gnu::may_alias]];
};

// kStripes stripes of outputs for kRows rows, with all sums in registers.
template <std::size_t kBytes, std::size_t kRows, std::size_t kStripes>
[[gnu::always_inline]] inline void sum_up(const Tables& t, std::size_t stripe, std::size_t row) {
    using Lanes = typename Register<kBytes>::Lanes;
    constexpr std::size_t kParts = sizeof(Line) / kBytes;
    const Line* const weights = t.weights + stripe * t.inputs;
    const Line* const in = t.in + row * t.stride;
    Lanes sums[kRows][kStripes * kParts];
    for (std::size_t r = 0; r < kRows; ++r)
        for (std::size_t p = 0; p < kStripes * kParts; ++p)
            sums[r][p] = reinterpret_cast<const Lanes*>(t.biases + stripe)[p];
    for (std::size_t i = 0; i < t.inputs; ++i)
        for (std::size_t s = 0; s < kStripes; ++s) {
            const Lanes* const weight = reinterpret_cast<const Lanes*>(weights + s * t.inputs + i);
            for (std::size_t r = 0; r < kRows; ++r) {
                const float value = in[r * t.stride].lanes[i];
                for (std::size_t p = 0; p < kParts; ++p)
                    sums[r][s * kParts + p] += weight[p] * value;
            }
        }
    const Lanes zero{};
    for (std::size_t r = 0; r < kRows; ++r) {
        Lanes* const out = reinterpret_cast<Lanes*>(t.out + (row + r) * t.stride + stripe);
        for (std::size_t p = 0; p < kStripes * kParts; ++p)  // what is not a number stays so
            out[p] = t.is_rectified ? (sums[r][p] < zero ? zero : sums[r][p]) : sums[r][p];
    }
}

// A processor adds several numbers at a time only if they belong to different sums: those of
// several rows or, in rows that are left over, of several stripes.
template <std::size_t kBytes, std::size_t kTogether>
[[gnu::always_inline]] inline void run_layer(const Tables& t) {
    const std::size_t whole = t.rows - t.rows % kTogether;
    for (std::size_t stripe = 0; stripe < t.stripes; ++stripe)
        for (std::size_t row = 0; row < whole; row += kTogether)
            sum_up<kBytes, kTogether, 1>(t, stripe, row);
    for (std::size_t row = whole; row < t.rows; ++row) {
        std::size_t stripe = 0;
        for (; stripe + kTogether <= t.stripes; stripe += kTogether)
            sum_up<kBytes, 1, kTogether>(t, stripe, row);
        for (; stripe < t.stripes; ++stripe) sum_up<kBytes, 1, 1>(t, stripe, row);
    }
}

void run_baseline(const Tables& t) { run_layer<16, 2>(t); }

#if defined(__x86_64__)
[[gnu::target("avx2")]] void run_avx2(const Tables& t) { run_layer<32, 4>(t); }
const bool kHasAvx2 = __builtin_cpu_supports("avx2") != 0;
#endif

void run_best(const Tables& t) {
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
        const Tables tables{layer.inputs,
                            layer.biases.size(),
                            layer.weights.data(),
                            layer.biases.data(),
                            buffers_[k % 2].data(),
                            out.data(),
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
