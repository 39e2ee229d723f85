// FactorWalks inside one factor: τ-labels, in stages, and the cheapest walks from state to state.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "dominance/factors.h"
#include "dominance/walk_graph.h"

namespace bugsieve {

enum class Tau { kNone, kLocal, kStages };

// Square tables over the states of one factor.
template <class T>
class Square {
  public:
    Square() = default;
    Square(std::size_t size, T value) : size_(size), items_(size * size, value) {}

    std::size_t size() const { return size_; }
    T* row(std::size_t i) { return items_.data() + i * size_; }
    const T* row(std::size_t i) const { return items_.data() + i * size_; }
    T& operator()(std::size_t i, std::size_t j) { return items_[i * size_ + j]; }
    T operator()(std::size_t i, std::size_t j) const { return items_[i * size_ + j]; }
    std::vector<T>& items() { return items_; }
    const std::vector<T>& items() const { return items_; }

  private:
    std::size_t size_ = 0;
    std::vector<T> items_;
};

// Steps by stage, factor and group. A step of stage g + 1 has the others walk by steps of stage g,
// so that carrying it out ends.
class FactorWalks {
  public:
    // Spends work; if the limit is met, the stages that are complete count.
    FactorWalks(const FactoredTask& task, Tau tau, WorkMeter& meter);
    // From what `save` appended; `take` gives so many of its words.
    FactorWalks(const FactoredTask& task,
                const std::function<std::span<const std::int32_t>(std::size_t)>& take);
    void save(std::vector<std::int32_t>& words) const;

    std::size_t num_stages() const { return stages_.size(); }
    const std::vector<TauStep>& steps(std::size_t stage, std::size_t factor) const {
        return stages_[stage][factor];
    }
    // The cost of the cheapest walk of a factor from one state to another.
    const Square<Distance>& costs(std::size_t factor) const { return costs_[factor]; }
    bool was_cut() const { return was_cut_; }

  private:
    using Stage = std::vector<std::vector<TauStep>>;  // by factor and group

    static Stage local_steps(const FactoredTask& task);
    // The steps with what the others' walks of the last stage allow; whether anything got cheaper.
    bool next_stage(const FactoredTask& task, Stage& stage, WorkMeter& meter) const;
    std::vector<Distance> absorption(const Factor& factor, std::size_t index,
                                     WorkMeter& meter) const;

    std::vector<Stage> stages_;
    std::vector<Square<Distance>> costs_;
    bool was_cut_ = false;
};

}  // namespace bugsieve
