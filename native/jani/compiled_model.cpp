#include "jani/compiled_model.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "jani/analysis.h"
#include "jani/compiler.h"

namespace bugsieve::jani {

namespace {

constexpr std::uint64_t kMaxDomain = 1024;  // values of a variable that the index branches over

// The conjuncts of a condition, in their order.
std::vector<std::int32_t> conjuncts(const Description& model, std::int32_t condition) {
    std::vector<std::int32_t> parts, open{condition};
    while (!open.empty()) {
        const std::int32_t id = open.back();
        open.pop_back();
        const Node& node = model.nodes[static_cast<std::size_t>(id)];
        if (node.op == Op::kAnd)
            open.insert(open.end(), {node.operands[1], node.operands[0]});
        else
            parts.push_back(id);
    }
    return parts;
}

// Recognises comparisons of an integer variable with a constant.
class TestReader {
  public:
    explicit TestReader(const Description& model) : model_(model) {}

    std::optional<RangeTest> read(std::int32_t condition) const {
        const Node* node = &at(condition);
        const bool negated = node->op == Op::kNot;
        if (negated) node = &at(node->operands[0]);
        if (is_integer_variable(*node)) return truth(*node, !negated);
        if (node->op == Op::kIntEqual && negated) return std::nullopt;
        if (node->op != Op::kIntEqual && node->op != Op::kIntLess && node->op != Op::kIntAtMost)
            return std::nullopt;
        return comparison(*node, negated);
    }

  private:
    const Node& at(std::int32_t id) const { return model_.nodes[static_cast<std::size_t>(id)]; }
    const Variable& variable(const Node& node) const {
        return model_.variables[static_cast<std::size_t>(node.operands[0])];
    }
    bool is_integer_variable(const Node& node) const {
        return node.op == Op::kVariable && !variable(node).is_real;
    }
    RangeTest whole(const Node& node) const {
        const Variable& v = variable(node);
        return {static_cast<std::uint32_t>(node.operands[0]), static_cast<std::int64_t>(v.lower),
                static_cast<std::int64_t>(v.upper)};
    }
    RangeTest truth(const Node& node, bool value) const {
        return {static_cast<std::uint32_t>(node.operands[0]), value, value};
    }

    std::optional<RangeTest> comparison(const Node& node, bool negated) const {
        const Node &left = at(node.operands[0]), &right = at(node.operands[1]);
        const bool variable_first = is_integer_variable(left) && right.op == Op::kConstant;
        if (!variable_first && !(is_integer_variable(right) && left.op == Op::kConstant))
            return std::nullopt;
        RangeTest test = whole(variable_first ? left : right);
        const std::int64_t limit = static_cast<std::int64_t>(
            model_
                .constants[static_cast<std::size_t>((variable_first ? right : left).operands[0])]);
        if (node.op == Op::kIntEqual) {
            test.lower = std::max(test.lower, limit);
            test.upper = std::min(test.upper, limit);
            return test;
        }
        // x < c, x <= c and, the other way round, c < x, c <= x; negation swaps both.
        const bool strict = (node.op == Op::kIntLess) != negated;
        const bool from_above = variable_first != negated;
        if (strict && limit == (from_above ? Range{}.lower : Range{}.upper)) return std::nullopt;
        if (from_above)
            test.upper = std::min(test.upper, strict ? limit - 1 : limit);
        else
            test.lower = std::max(test.lower, strict ? limit + 1 : limit);
        return test;
    }

    const Description& model_;
};

struct Guard {
    std::vector<RangeTest> tests;    // at most one per variable
    std::vector<std::int32_t> rest;  // tested after them
    bool is_satisfiable = true;      // false: by the tests alone
};

void restrict_to(Guard& guard, const RangeTest& test) {
    const auto known = std::ranges::find(guard.tests, test.variable, &RangeTest::variable);
    RangeTest& merged = known == guard.tests.end() ? guard.tests.emplace_back(test) : *known;
    merged.lower = std::max(merged.lower, test.lower);
    merged.upper = std::min(merged.upper, test.upper);
    guard.is_satisfiable = guard.is_satisfiable && merged.lower <= merged.upper;
}

// Range tests go first; this must not hide an error, so those after a condition that can fail
// stay where they are.
Guard split(const Description& model, const Analysis& analysis, std::int32_t condition) {
    Guard guard;
    const TestReader reader(model);
    bool failed = false;
    for (const std::int32_t part : conjuncts(model, condition)) {
        failed = failed || analysis.can_fail[static_cast<std::size_t>(part)];
        const std::optional<RangeTest> test = failed ? std::nullopt : reader.read(part);
        if (test)
            restrict_to(guard, *test);
        else
            guard.rest.push_back(part);
    }
    return guard;
}

std::vector<EdgeIndex::Domain> domains(std::span<const Variable> variables) {
    std::vector<EdgeIndex::Domain> result;
    for (const Variable& v : variables) {
        const std::uint64_t size = v.upper - v.lower + 1;
        const bool small = !v.is_real && v.is_in_state && size > 0 && size <= kMaxDomain;
        result.push_back({static_cast<std::int64_t>(v.lower), small ? size : 0});
    }
    return result;
}

std::vector<Word> initial_registers(const Description& model, std::size_t size) {
    std::vector<Word> registers(size, Word{.bits = 0});
    std::size_t next = 0;
    for (const Variable& v : model.variables) registers[next++].bits = v.initial;
    for (const std::uint64_t constant : model.constants) registers[next++].bits = constant;
    return registers;
}

}  // namespace

// Fills a compiled model part by part.
class ModelBuilder {
  public:
    ModelBuilder(const Description& model, CompiledModel& out)
        : model_(model), out_(out), analysis_(analyse(model)), compiler_(model, analysis_) {}

    void build() {
        for (std::size_t e = 0; e < model_.edges.size(); ++e) add_edge(e);
        out_.index = EdgeIndex(tests_, domains(model_.variables));
        out_.goal = compiler_.compile_test(conjuncts(model_, model_.goal));
        out_.unsafe = compiler_.compile_test(conjuncts(model_, model_.unsafe));
        out_.start = compiler_.compile_test(conjuncts(model_, model_.start));
        if (model_.distance >= 0) {
            out_.distance = compiler_.compile_values({&model_.distance, 1}, sources_);
            out_.distance_register = sources_[0];
        }
        out_.registers = initial_registers(model_, compiler_.num_registers());
        out_.program = compiler_.take_program();
    }

  private:
    void add_edge(std::size_t number) {
        const Edge& edge = model_.edges[number];
        Guard guard = split(model_, analysis_, edge.guard);
        if (!guard.is_satisfiable) return;
        const auto begin = static_cast<std::uint32_t>(out_.destinations.size());
        for (std::uint32_t d = edge.begin; d < edge.end; ++d)
            add_destination(model_.destinations[d]);
        out_.edges.push_back({edge.action,
                              guard.rest.empty() ? kNoProgram : compiler_.compile_test(guard.rest),
                              begin, static_cast<std::uint32_t>(out_.destinations.size()),
                              static_cast<std::int32_t>(number)});
        tests_.push_back(std::move(guard.tests));
    }

    // The value of a node that is a real constant.
    std::optional<double> constant_value(std::int32_t node) const {
        if (node < 0) return std::nullopt;
        const Node& constant = model_.nodes[static_cast<std::size_t>(node)];
        if (constant.op != Op::kConstant) return std::nullopt;
        return std::bit_cast<double>(
            model_.constants[static_cast<std::size_t>(constant.operands[0])]);
    }

    void add_destination(const Destination& destination) {
        CompiledModel::Destination result{
            kNoProgram, 0, 1, destination.conflict, static_cast<std::uint32_t>(out_.steps.size()),
            0};
        if (const auto constant = constant_value(destination.probability)) {
            result.weight = *constant;
        } else if (destination.probability >= 0) {
            result.probability_program =
                compiler_.compile_values({&destination.probability, 1}, sources_);
            result.probability = sources_[0];
        }
        std::uint32_t begin = destination.begin;
        while (begin < destination.end) {
            std::uint32_t end = begin;
            while (end < destination.end &&
                   model_.assignments[end].step == model_.assignments[begin].step)
                ++end;
            add_step(std::span(model_.assignments).subspan(begin, end - begin));
            begin = end;
        }
        result.end = static_cast<std::uint32_t>(out_.steps.size());
        out_.destinations.push_back(result);
    }

    void add_step(std::span<const Assignment> assignments) {
        std::vector<std::int32_t> values;
        for (const Assignment& a : assignments) values.push_back(a.value);
        const bool computes = std::ranges::any_of(values, [&](std::int32_t value) {
            return arity(model_.nodes[static_cast<std::size_t>(value)].op) > 0;
        });
        const std::uint32_t entry = compiler_.compile_values(values, sources_);
        const auto begin = static_cast<std::uint32_t>(out_.stores.size());
        for (std::size_t k = 0; k < assignments.size(); ++k)
            out_.stores.push_back(store(assignments[k], sources_[k]));
        out_.steps.push_back({computes ? entry : kNoProgram, begin,
                              static_cast<std::uint32_t>(out_.stores.size())});
    }

    CompiledModel::Store store(const Assignment& assignment, std::uint32_t source) const {
        const Variable& v = model_.variables[static_cast<std::size_t>(assignment.variable)];
        const Range range = analysis_.ranges[static_cast<std::size_t>(assignment.value)];
        const bool fits = !v.is_real && static_cast<std::int64_t>(v.lower) <= range.lower &&
                          range.upper <= static_cast<std::int64_t>(v.upper);
        return {static_cast<std::uint32_t>(assignment.variable),
                source,
                v.is_real,
                !fits,
                v.is_in_state,
                Word{.bits = v.lower},
                Word{.bits = v.upper}};
    }

    const Description& model_;
    CompiledModel& out_;
    Analysis analysis_;
    Compiler compiler_;
    std::vector<std::vector<RangeTest>> tests_;
    std::vector<std::uint32_t> sources_;
};

CompiledModel::CompiledModel(const Description& model)
    : variables(model.variables),
      num_actions(model.num_actions),
      packing(model.variables),
      index({}, {}) {
    check(model);
    ModelBuilder(model, *this).build();
}

std::size_t CompiledModel::num_state_variables() const {
    return static_cast<std::size_t>(std::ranges::count(variables, true, &Variable::is_in_state));
}

}  // namespace bugsieve::jani
