#include "networks/relational_network.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

namespace bugsieve {

namespace {

constexpr float kNothing = 1e-16F;      // in each sum of exponentials, so that it has a logarithm
constexpr float kUnsolvable = 100'000;  // added where the network sees no way to the goal

void check_part(const RelationalNetwork::Part& part, const std::string& name, std::size_t inputs,
                std::size_t outputs) {
    if (part->inputs() != inputs || part->outputs() != outputs)
        throw std::invalid_argument(name + " maps " + std::to_string(part->inputs()) +
                                    " numbers to " + std::to_string(part->outputs()) + ", not " +
                                    std::to_string(inputs) + " to " + std::to_string(outputs));
    if (part->activation() != Activation::kRelu)
        throw std::invalid_argument(name + " has no ReLU between its layers");
}

std::size_t lines_for(std::size_t width) { return (width + kStripe - 1) / kStripe; }

}  // namespace

RelationalNetwork::RelationalNetwork(std::size_t width, std::size_t iterations,
                                     std::vector<Relation> relations, Part update, ReadOut value,
                                     std::optional<ReadOut> solvable)
    : width_(width),
      iterations_(iterations),
      relations_(std::move(relations)),
      update_(std::move(update)),
      value_(std::move(value)),
      solvable_(std::move(solvable)) {
    for (std::size_t r = 0; r < relations_.size(); ++r) {
        const Relation& relation = relations_[r];
        if (relation.arity == 0) throw std::invalid_argument("a relation needs an argument");
        check_part(relation.module, "relation " + std::to_string(r), relation.arity * width_,
                   relation.arity * width_);
    }
    check_part(update_, "the update", 2 * width_, width_);
    check(value_);
    if (solvable_) check(*solvable_);
}

void RelationalNetwork::check(const ReadOut& read_out) const {
    if (!read_out.before) return check_part(read_out.after, "a read-out", 2 * width_, 1);
    check_part(read_out.before, "a read-out of one object", width_, read_out.before->outputs());
    check_part(read_out.after, "a read-out", read_out.before->outputs(), 1);
}

RelationalEvaluator::RelationalEvaluator(std::shared_ptr<const RelationalNetwork> network,
                                         std::size_t objects,
                                         NetworkEvaluator::Instructions instructions)
    : network_(std::move(network)),
      objects_(objects),
      lines_(lines_for(network_->width())),
      instructions_(instructions),
      update_(network_->update(), instructions),
      value_(reader(network_->value())) {
    for (const RelationalNetwork::Relation& relation : network_->relations())
        atoms_.push_back(
            {relation.arity, NetworkEvaluator(relation.module, instructions), {}, {}, {}});
    if (network_->solvable()) solvable_.emplace(reader(*network_->solvable()));
}

RelationalEvaluator::Reader RelationalEvaluator::reader(
    const RelationalNetwork::ReadOut& read_out) const {
    Reader made{std::nullopt, NetworkEvaluator(read_out.after, instructions_)};
    if (read_out.before) made.before.emplace(read_out.before, instructions_);
    return made;
}

void RelationalEvaluator::clear() {
    for (Atoms& atoms : atoms_) {
        atoms.nodes.clear();
        atoms.groups.clear();
    }
    group_of_graph_.clear();
    groups_ = 0;
    messages_ = 0;
}

void RelationalEvaluator::add_atom(std::size_t relation, std::span<const std::uint32_t> objects) {
    Atoms& atoms = atoms_[relation];
    const auto first = static_cast<std::uint32_t>(graphs() * objects_);
    for (const std::uint32_t object : objects) {
        atoms.nodes.push_back(first + object);
        atoms.groups.push_back(groups_);
    }
    messages_ += objects.size();
}

void RelationalEvaluator::close_graph() { group_of_graph_.push_back(groups_); }

void RelationalEvaluator::close_group() { ++groups_; }

void RelationalEvaluator::run(std::span<float> values, Interrupts& interrupts) {
    nodes_.assign(graphs() * objects_ * lines_, Line{});
    sums_.resize(nodes_.size());
    for (Atoms& atoms : atoms_) atoms.rows.resize(atoms.nodes.size() * lines_);
    for (std::size_t i = 0; i < network_->iterations(); ++i) {
        for (Atoms& atoms : atoms_) send(atoms, interrupts);
        find_greatest();
        update(interrupts);
    }
    for (std::size_t graph = 0; graph < graphs(); ++graph) {
        interrupts.check();
        values[graph] = std::fabs(read(value_, graph));
        if (solvable_ && !(read(*solvable_, graph) > 0)) values[graph] += kUnsolvable;
    }
}

void RelationalEvaluator::send(Atoms& atoms, Interrupts& interrupts) {
    const std::size_t width = network_->width(), arity = atoms.arity;
    const std::size_t count = atoms.nodes.size() / arity;
    for (std::size_t at = 0; at < count; at += atoms.module.capacity()) {
        interrupts.check();
        const std::size_t block = std::min(atoms.module.capacity(), count - at);
        const std::uint32_t* node = atoms.nodes.data() + at * arity;
        for (std::size_t row = 0; row < block; ++row)
            for (std::size_t a = 0; a < arity; ++a)
                std::copy_n(nodes_[*node++ * lines_].lanes, width,
                            atoms.module.input(row) + a * width);
        atoms.module.run(block);
        Line* out = atoms.rows.data() + at * arity * lines_;
        for (std::size_t row = 0; row < block; ++row)
            for (std::size_t a = 0; a < arity; ++a, out += lines_) {
                const float* const message = atoms.module.scores(row) + a * width;
                std::copy_n(message, width, out->lanes);
                // The filling of the last line must not be the greatest number.
                std::fill_n(out->lanes + width, lines_ * kStripe - width, message[0]);
            }
    }
}

void RelationalEvaluator::find_greatest() {
    Line lowest;
    std::fill_n(lowest.lanes, kStripe, -std::numeric_limits<float>::infinity());
    most_.assign(groups_, lowest);
    for (const Atoms& atoms : atoms_)
        for (std::size_t i = 0; i < atoms.nodes.size(); ++i)
            raise(atoms.rows.data() + i * lines_, lines_, most_[atoms.groups[i]]);
    greatest_.resize(groups_);
    for (std::size_t group = 0; group < groups_; ++group) {
        const float most = *std::max_element(most_[group].lanes, most_[group].lanes + kStripe);
        greatest_[group] = std::isinf(most) && most < 0 ? 0 : most;  // there was no message
    }
}

void RelationalEvaluator::update(Interrupts& interrupts) {
    const bool baseline = instructions_ == NetworkEvaluator::Instructions::kBaseline;
    const std::size_t width = network_->width(), count = graphs() * objects_;
    Line nothing;
    std::fill_n(nothing.lanes, kStripe, kNothing);
    std::fill(sums_.begin(), sums_.end(), nothing);
    for (const Atoms& atoms : atoms_)
        add_exponentials({atoms.rows.data(), atoms.nodes.data(), atoms.groups.data(),
                          greatest_.data(), atoms.nodes.size(), lines_},
                         sums_.data(), baseline);
    for (std::size_t graph = 0; graph < graphs(); ++graph)
        to_maximum(sums_.data() + graph * objects_ * lines_, objects_ * lines_,
                   greatest_[group_of_graph_[graph]], baseline);
    for (std::size_t at = 0; at < count; at += update_.capacity()) {
        interrupts.check();
        const std::size_t block = std::min(update_.capacity(), count - at);
        for (std::size_t row = 0; row < block; ++row) {
            std::copy_n(sums_[(at + row) * lines_].lanes, width, update_.input(row));
            std::copy_n(nodes_[(at + row) * lines_].lanes, width, update_.input(row) + width);
        }
        update_.run(block);
        for (std::size_t row = 0; row < block; ++row)
            std::copy_n(update_.scores(row), width, nodes_[(at + row) * lines_].lanes);
    }
}

float RelationalEvaluator::read(Reader& reader, std::size_t graph) {
    const Line* const nodes = nodes_.data() + graph * objects_ * lines_;
    if (reader.before)
        read_sum(*reader.before, nodes, reader.after.input(0));
    else
        read_extremes(nodes, reader.after.input(0));
    reader.after.run(1);
    return reader.after.scores(0)[0];
}

void RelationalEvaluator::read_sum(NetworkEvaluator& before, const Line* nodes, float* out) {
    const std::size_t outputs = before.network().outputs();
    std::fill_n(out, outputs, 0.0F);
    for (std::size_t at = 0; at < objects_; at += before.capacity()) {
        const std::size_t block = std::min(before.capacity(), objects_ - at);
        for (std::size_t row = 0; row < block; ++row)
            std::copy_n(nodes[(at + row) * lines_].lanes, network_->width(), before.input(row));
        before.run(block);
        for (std::size_t row = 0; row < block; ++row)
            for (std::size_t k = 0; k < outputs; ++k) out[k] += before.scores(row)[k];
    }
}

void RelationalEvaluator::read_extremes(const Line* nodes, float* out) {
    const std::size_t width = network_->width();
    std::copy_n(nodes->lanes, width, out);
    std::fill_n(out + width, width, 0.0F);
    for (std::size_t object = 0; object < objects_; ++object)
        for (std::size_t k = 0; k < width; ++k) {
            const float number = nodes[object * lines_].lanes[k];
            out[k] = number > out[k] ? number : out[k];
            out[width + k] += number;
        }
}

}  // namespace bugsieve
