#include "jani/description.h"

#include <array>
#include <stdexcept>
#include <string>

namespace bugsieve::jani {

namespace {

struct OperatorInfo {
    std::string_view name;
    int arity;
};

constexpr std::array<OperatorInfo, static_cast<std::size_t>(Op::kCount)> kOperators{{
    {"constant", 0},      {"variable", 0},    {"to_real", 1},
    {"not", 1},           {"and", 2},         {"or", 2},
    {"ite", 3},           {"int_equal", 2},   {"int_less", 2},
    {"int_at_most", 2},   {"real_equal", 2},  {"real_less", 2},
    {"real_at_most", 2},  {"int_add", 2},     {"int_subtract", 2},
    {"int_multiply", 2},  {"int_modulo", 2},  {"int_minimum", 2},
    {"int_maximum", 2},   {"int_power", 2},   {"int_absolute", 1},
    {"int_sign", 1},      {"real_add", 2},    {"real_subtract", 2},
    {"real_multiply", 2}, {"real_divide", 2}, {"real_minimum", 2},
    {"real_maximum", 2},  {"real_power", 2},  {"real_logarithm", 2},
    {"real_absolute", 1}, {"real_sign", 1},   {"floor", 1},
    {"ceiling", 1},       {"truncate", 1},    {"sin", 1},
    {"cos", 1},           {"tan", 1},         {"asin", 1},
    {"acos", 1},          {"atan", 1},        {"sinh", 1},
    {"cosh", 1},          {"tanh", 1},
}};

constexpr auto kNames = [] {
    std::array<std::string_view, kOperators.size()> names;
    for (std::size_t i = 0; i < names.size(); ++i) names[i] = kOperators[i].name;
    return names;
}();

void require(bool holds, const char* what, std::size_t index) {
    if (!holds)
        throw std::invalid_argument(std::string("model description: wrong ") + what + " " +
                                    std::to_string(index));
}

bool is_index(std::int32_t value, std::size_t size) {
    return value >= 0 && static_cast<std::size_t>(value) < size;
}

void check_nodes(const Description& model) {
    for (std::size_t i = 0; i < model.nodes.size(); ++i) {
        const Node& node = model.nodes[i];
        require(is_index(static_cast<std::int32_t>(node.op), kOperators.size()), "node", i);
        if (node.op == Op::kConstant)
            require(is_index(node.operands[0], model.constants.size()), "node", i);
        else if (node.op == Op::kVariable)
            require(is_index(node.operands[0], model.variables.size()), "node", i);
        for (int k = 0; k < arity(node.op); ++k) require(is_index(node.operands[k], i), "node", i);
    }
}

void check_variables(const Description& model) {
    constexpr std::int64_t kExact = std::int64_t{1} << 53;  // up to here doubles are exact
    for (std::size_t i = 0; i < model.variables.size(); ++i) {
        const Variable& v = model.variables[i];
        require(i == 0 || !v.is_in_state || model.variables[i - 1].is_in_state, "variable", i);
        const auto lower = static_cast<std::int64_t>(v.lower);
        const auto upper = static_cast<std::int64_t>(v.upper);
        require(v.is_real || (-kExact <= lower && lower <= upper && upper <= kExact), "variable",
                i);
    }
}

void check_destinations(const Description& model) {
    for (std::size_t i = 0; i < model.assignments.size(); ++i) {
        const Assignment& assignment = model.assignments[i];
        require(is_index(assignment.variable, model.variables.size()) &&
                    is_index(assignment.value, model.nodes.size()),
                "assignment", i);
    }
    for (std::size_t i = 0; i < model.destinations.size(); ++i) {
        const Destination& d = model.destinations[i];
        require(d.probability < static_cast<std::int64_t>(model.nodes.size()) &&
                    d.conflict < static_cast<std::int64_t>(model.variables.size()) &&
                    d.begin <= d.end && d.end <= model.assignments.size(),
                "destination", i);
        for (std::uint32_t a = d.begin + 1; a < d.end; ++a)
            require(model.assignments[a - 1].step <= model.assignments[a].step, "destination", i);
    }
}

}  // namespace

std::span<const std::string_view> operator_names() { return kNames; }

int arity(Op op) { return kOperators[static_cast<std::size_t>(op)].arity; }

bool is_conditional(Op op) { return op == Op::kAnd || op == Op::kOr || op == Op::kIfThenElse; }

void check(const Description& model) {
    check_variables(model);
    check_nodes(model);
    check_destinations(model);
    std::int32_t last_action = 0;
    for (std::size_t i = 0; i < model.edges.size(); ++i) {
        const Edge& edge = model.edges[i];
        require(edge.action >= last_action && edge.action < model.num_actions &&
                    is_index(edge.guard, model.nodes.size()) && edge.begin <= edge.end &&
                    edge.end <= model.destinations.size(),
                "edge", i);
        last_action = edge.action;
    }
    for (const std::int32_t condition : {model.goal, model.unsafe, model.start})
        require(is_index(condition, model.nodes.size()), "condition", 0);
    require(model.distance < static_cast<std::int64_t>(model.nodes.size()), "distance", 0);
}

}  // namespace bugsieve::jani
