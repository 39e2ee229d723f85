// A JANI model in flat arrays, as the Python reader hands it over: a graph of typed expressions,
// and edges that refer to its nodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace bugsieve::jani {

// Integers are int64, reals double, Booleans the integers 0 and 1; the reader has resolved all
// types, so that each operator works on one of them.
enum class Op : std::int32_t {
    kConstant,  // a: index of a word
    kVariable,  // a: index of a variable
    kToReal,
    kNot,
    kAnd,  // the second operand is evaluated only where it matters
    kOr,
    kIfThenElse,
    kIntEqual,
    kIntLess,
    kIntAtMost,
    kRealEqual,
    kRealLess,
    kRealAtMost,
    kIntAdd,
    kIntSubtract,
    kIntMultiply,
    kIntModulo,  // has the sign of the divisor
    kIntMinimum,
    kIntMaximum,
    kIntPower,
    kIntAbsolute,
    kIntSign,
    kRealAdd,
    kRealSubtract,
    kRealMultiply,
    kRealDivide,
    kRealMinimum,
    kRealMaximum,
    kRealPower,
    kRealLogarithm,  // of the first to the base of the second
    kRealAbsolute,
    kRealSign,  // an integer
    kFloor,     // of a real, an integer, as are the next two
    kCeiling,
    kTruncate,
    kSine,
    kCosine,
    kTangent,
    kArcSine,
    kArcCosine,
    kArcTangent,
    kHyperbolicSine,
    kHyperbolicCosine,
    kHyperbolicTangent,
    kCount,
};

// Names of the operators above, in their order.
std::span<const std::string_view> operator_names();
// Number of operands; 0 for constants and variables.
int arity(Op op);
bool is_conditional(Op op);  // true if some operands may stay unevaluated

struct Node {
    Op op;
    std::int32_t operands[3];
};

struct Variable {
    bool is_real;
    bool is_in_state;  // transient variables are not: they hold `initial` before each edge
    std::uint64_t lower, upper, initial;
};

// Numbers the assignments of a destination which happen at once.
struct Assignment {
    std::int32_t step;
    std::int32_t variable;
    std::int32_t value;  // node
};

struct Destination {
    std::int32_t probability;          // node of a real, no constant below 0; -1: certain
    std::int32_t conflict;             // variable that two automata assign at once; -1: none
    std::uint32_t begin = 0, end = 0;  // assignments, ordered by step
};

struct Edge {
    std::int32_t action;
    std::int32_t guard;                // node of a Boolean
    std::uint32_t begin = 0, end = 0;  // destinations
};

struct Description {
    std::vector<Node> nodes;  // operands come before their operators
    std::vector<std::uint64_t> constants;
    std::vector<Variable> variables;  // those of the state first
    std::vector<Assignment> assignments;
    std::vector<Destination> destinations;
    std::vector<Edge> edges;  // actions ascend
    std::int32_t num_actions = 0;
    std::int32_t goal = 0, unsafe = 0, start = 0;  // nodes of Booleans
    std::int32_t distance = -1;                    // node of a real; -1: there is none
};

// Throws std::invalid_argument where an index leads nowhere.
void check(const Description& model);

}  // namespace bugsieve::jani
