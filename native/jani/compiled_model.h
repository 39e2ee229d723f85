// A JANI model ready to run: programs, the packing of states, and the index of edges.
#pragma once

#include <cstdint>
#include <exception>
#include <limits>
#include <vector>

#include "jani/description.h"
#include "jani/edge_index.h"
#include "jani/machine.h"
#include "jani/packing.h"

namespace bugsieve::jani {

// The model did something wrong in a state: a finding about the model, not about us.
struct Fault : std::exception {
    const char* what() const noexcept override { return "the model failed in a state"; }

    Ending kind = Ending::kUndefined;
    std::int32_t edge = -1;      // -1: in the goal, unsafety or start condition
    std::int32_t variable = -1;  // where the kind concerns one
    double value = 0;            // the assigned value, or the probability
    std::vector<double> state;
};

constexpr std::uint32_t kNoProgram = std::numeric_limits<std::uint32_t>::max();

// Immutable, so that several systems may share it.
struct CompiledModel {
    struct Store {
        std::uint32_t variable;
        std::uint32_t source;  // register
        bool is_real;
        bool is_checked;  // true if the value might be out of bounds
        bool is_in_state;
        Word lower, upper;
    };
    // Assignments that happen at once, after their values are computed.
    struct Step {
        std::uint32_t program;     // kNoProgram: nothing to compute
        std::uint32_t begin, end;  // stores
    };
    struct Destination {
        std::uint32_t probability_program;  // kNoProgram: certainly positive
        std::uint32_t probability;          // register
        double weight;                      // the probability where there is no program for it
        std::int32_t conflict;
        std::uint32_t begin, end;  // steps
    };
    struct Edge {
        std::int32_t action;
        std::uint32_t guard;       // program of what the index does not test; kNoProgram: nothing
        std::uint32_t begin, end;  // destinations
        std::int32_t number;       // in the description
    };

    explicit CompiledModel(const Description& model);

    std::vector<Variable> variables;
    std::int32_t num_actions;
    Packing packing;
    std::vector<Instruction> program;
    std::vector<Word> registers;  // before a state is loaded
    std::vector<Store> stores;
    std::vector<Step> steps;
    std::vector<Destination> destinations;
    std::vector<Edge> edges;
    EdgeIndex index;
    std::uint32_t goal, unsafe, start;    // programs
    std::uint32_t distance = kNoProgram;  // after which the distance to danger is ...
    std::uint32_t distance_register = 0;  // ... in this register

    std::size_t num_state_variables() const;
};

}  // namespace bugsieve::jani
