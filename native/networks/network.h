// Feed-forward networks with one activation between their layers, evaluated for blocks of inputs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "networks/activations.h"
#include "networks/dense_layer.h"

namespace bugsieve {

// Immutable, so that several evaluators may share it.
class Network {
  public:
    struct Layer {
        std::size_t inputs, outputs;
        std::vector<Line> weights;  // per stripe of outputs, one line per input
        std::vector<Line> biases;   // one line per stripe

        // `weights` has one row per output. What is missing in the last stripe is 0.
        Layer(std::size_t inputs, std::size_t outputs, const float* weights, const float* biases);
    };

    // Throws std::invalid_argument where layers do not fit each other.
    Network(std::vector<Layer> layers, Activation activation);

    const std::vector<Layer>& layers() const { return layers_; }
    Activation activation() const { return activation_; }
    std::size_t inputs() const { return layers_.front().inputs; }
    std::size_t outputs() const { return layers_.back().outputs; }
    std::size_t widest() const;  // layer, inputs included, in lines
    std::size_t work() const;    // for one input, in multiplications

  private:
    std::vector<Layer> layers_;
    Activation activation_;  // behind each layer but the last
};

// Runs a network on up to `capacity` rows at once. Each sum is built in the order of the inputs,
// with a rounding after each product, for every instruction set: the scores of a row depend
// neither on the rows beside it nor on the machine.
class NetworkEvaluator {
  public:
    enum class Instructions { kBest, kBaseline };

    explicit NetworkEvaluator(std::shared_ptr<const Network> network,
                              Instructions instructions = Instructions::kBest);

    const Network& network() const { return *network_; }
    std::size_t capacity() const { return capacity_; }

    // The inputs of a row, to be filled before `run`, which spoils them.
    float* input(std::size_t row) { return buffers_[0][row * stride_].lanes; }
    void run(std::size_t rows);
    const float* scores(std::size_t row) const {
        return buffers_[network_->layers().size() % 2][row * stride_].lanes;
    }

  private:
    std::shared_ptr<const Network> network_;
    Instructions instructions_;
    std::size_t stride_;  // lines of a row
    std::size_t capacity_;
    std::vector<Line> buffers_[2];
};

}  // namespace bugsieve
