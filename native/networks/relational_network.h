// Relational graph networks: one node per object, messages along the atoms of a state, and one
// value for each state (Stahlberg, Bonet and Geffner, KR 2022).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "basis/budget.h"
#include "networks/network.h"
#include "networks/smooth_maximum.h"

namespace bugsieve {

// Immutable, so that several evaluators may share it. All parts have ReLU between their layers.
class RelationalNetwork {
  public:
    using Part = std::shared_ptr<const Network>;

    struct Relation {
        std::size_t arity;  // at least 1
        Part module;        // from the vectors of an atom's objects to as many messages
    };
    // One number for all objects: `after` reads the sum of what `before` makes of each or, where
    // there is none, the maximum of their vectors and then the sum.
    struct ReadOut {
        Part before;
        Part after;
    };

    // Throws std::invalid_argument where the parts do not fit each other.
    RelationalNetwork(std::size_t width, std::size_t iterations, std::vector<Relation> relations,
                      Part update, ReadOut value, std::optional<ReadOut> solvable);

    std::size_t width() const { return width_; }  // of the vector of an object
    std::size_t iterations() const { return iterations_; }
    const std::vector<Relation>& relations() const { return relations_; }
    const Part& update() const { return update_; }
    const ReadOut& value() const { return value_; }
    const std::optional<ReadOut>& solvable() const { return solvable_; }

  private:
    void check(const ReadOut& read_out) const;

    std::size_t width_, iterations_;
    std::vector<Relation> relations_;
    Part update_;
    ReadOut value_;
    std::optional<ReadOut> solvable_;
};

// Evaluates graphs of the same objects. Graphs of a group share the maximum that the smooth
// maximum is built on; otherwise the value of a graph depends neither on the others nor on the
// machine. Vectors of objects begin at 0.
class RelationalEvaluator {
  public:
    RelationalEvaluator(std::shared_ptr<const RelationalNetwork> network, std::size_t objects,
                        NetworkEvaluator::Instructions instructions);

    // The atoms of a graph come in the same order whenever it is evaluated.
    void clear();
    void add_atom(std::size_t relation, std::span<const std::uint32_t> objects);
    void close_graph();  // of the group at hand
    void close_group();

    std::size_t graphs() const { return group_of_graph_.size(); }
    std::size_t messages() const { return messages_; }
    // One value per graph, none below 0: how far the goal seems to be.
    void run(std::span<float> values, Interrupts& interrupts);

  private:
    using Part = RelationalNetwork::Part;

    // The atoms of one relation, and their messages in turn.
    struct Atoms {
        std::size_t arity;
        NetworkEvaluator module;
        std::vector<std::uint32_t> nodes;   // `arity` per atom
        std::vector<std::uint32_t> groups;  // as many
        std::vector<Line> rows;             // as many, of `lines_`
    };
    struct Reader {
        std::optional<NetworkEvaluator> before;
        NetworkEvaluator after;
    };

    Reader reader(const RelationalNetwork::ReadOut& read_out) const;
    void send(Atoms& atoms, Interrupts& interrupts);
    void find_greatest();
    void update(Interrupts& interrupts);
    float read(Reader& reader, std::size_t graph);
    void read_sum(NetworkEvaluator& before, const Line* nodes, float* out);
    void read_extremes(const Line* nodes, float* out);

    std::shared_ptr<const RelationalNetwork> network_;
    std::size_t objects_, lines_;  // of a vector
    NetworkEvaluator::Instructions instructions_;
    std::vector<Atoms> atoms_;
    NetworkEvaluator update_;
    Reader value_;
    std::optional<Reader> solvable_;

    std::vector<std::uint32_t> group_of_graph_;
    std::uint32_t groups_ = 0;  // closed ones
    std::size_t messages_ = 0;
    std::vector<Line> nodes_;      // the vectors of all objects of all graphs
    std::vector<Line> sums_;       // as many: what they were told
    std::vector<Line> most_;       // by group and lane
    std::vector<float> greatest_;  // by group
};

}  // namespace bugsieve
