#include "jani/analysis.h"

#include <algorithm>
#include <bit>

namespace bugsieve::jani {

namespace {

__extension__ using Wide = __int128;

constexpr Range kAny{};
constexpr Range kBoolean{0, 1};

bool fits(Wide value) { return value >= kAny.lower && value <= kAny.upper; }

Range clamped(Wide lower, Wide upper) {
    const Wide least = kAny.lower, most = kAny.upper;
    return {static_cast<std::int64_t>(std::clamp(lower, least, most)),
            static_cast<std::int64_t>(std::clamp(upper, least, most))};
}

struct WideRange {
    Wide lower, upper;
};

WideRange exact_range(Op op, Range a, Range b) {
    switch (op) {
        case Op::kIntAdd:
            return {Wide{a.lower} + b.lower, Wide{a.upper} + b.upper};
        case Op::kIntSubtract:
            return {Wide{a.lower} - b.upper, Wide{a.upper} - b.lower};
        default: {  // multiplication
            const Wide products[] = {Wide{a.lower} * b.lower, Wide{a.lower} * b.upper,
                                     Wide{a.upper} * b.lower, Wide{a.upper} * b.upper};
            return {std::ranges::min(products), std::ranges::max(products)};
        }
    }
}

bool contains_zero(Range range) { return range.lower <= 0 && range.upper >= 0; }

class Analyser {
  public:
    explicit Analyser(const Description& model) : model_(model) {
        result_.ranges.resize(model.nodes.size());
        result_.can_fail.resize(model.nodes.size());
    }

    Analysis run() {
        for (std::size_t i = 0; i < model_.nodes.size(); ++i) {
            const Node& node = model_.nodes[i];
            bool fails = can_fail_itself(node);
            for (int k = 0; k < arity(node.op); ++k)
                fails = fails || result_.can_fail[static_cast<std::size_t>(node.operands[k])];
            result_.can_fail[i] = fails;
            result_.ranges[i] = range(node);
        }
        return std::move(result_);
    }

  private:
    Range operand(const Node& node, int k) const {
        return result_.ranges[static_cast<std::size_t>(node.operands[k])];
    }

    Range range(const Node& node) const {
        switch (node.op) {
            case Op::kConstant: {
                const auto word = static_cast<std::int64_t>(
                    model_.constants[static_cast<std::size_t>(node.operands[0])]);
                return {word, word};
            }
            case Op::kVariable: {
                const Variable& v = model_.variables[static_cast<std::size_t>(node.operands[0])];
                if (v.is_real) return kAny;
                return {static_cast<std::int64_t>(v.lower), static_cast<std::int64_t>(v.upper)};
            }
            case Op::kToReal:  // of the integer it was made of, for the sake of divisions
                return operand(node, 0);
            case Op::kIfThenElse: {
                const Range a = operand(node, 1), b = operand(node, 2);
                return {std::min(a.lower, b.lower), std::max(a.upper, b.upper)};
            }
            case Op::kIntAdd:
            case Op::kIntSubtract:
            case Op::kIntMultiply: {
                const WideRange wide = exact_range(node.op, operand(node, 0), operand(node, 1));
                return clamped(wide.lower, wide.upper);
            }
            case Op::kIntModulo:
                return modulo_range(operand(node, 1));
            case Op::kIntMinimum: {
                const Range a = operand(node, 0), b = operand(node, 1);
                return {std::min(a.lower, b.lower), std::min(a.upper, b.upper)};
            }
            case Op::kIntMaximum: {
                const Range a = operand(node, 0), b = operand(node, 1);
                return {std::max(a.lower, b.lower), std::max(a.upper, b.upper)};
            }
            case Op::kIntSign:
            case Op::kRealSign:
                return {-1, 1};
            case Op::kNot:
            case Op::kAnd:
            case Op::kOr:
            case Op::kIntEqual:
            case Op::kIntLess:
            case Op::kIntAtMost:
            case Op::kRealEqual:
            case Op::kRealLess:
            case Op::kRealAtMost:
                return kBoolean;
            default:
                return kAny;
        }
    }

    static Range modulo_range(Range divisor) {
        return clamped(std::min(Wide{divisor.lower} + 1, Wide{0}),
                       std::max(Wide{divisor.upper} - 1, Wide{0}));
    }

    bool can_fail_itself(const Node& node) const {
        switch (node.op) {
            case Op::kIntAdd:
            case Op::kIntSubtract:
            case Op::kIntMultiply: {
                const WideRange wide = exact_range(node.op, operand(node, 0), operand(node, 1));
                return !fits(wide.lower) || !fits(wide.upper);
            }
            case Op::kIntModulo:
                return contains_zero(operand(node, 1));
            case Op::kIntAbsolute:
                return operand(node, 0).lower == kAny.lower;
            case Op::kRealDivide:
                return may_be_zero(node.operands[1]);
            case Op::kIntPower:
            case Op::kRealPower:
            case Op::kRealLogarithm:
            case Op::kFloor:
            case Op::kCeiling:
            case Op::kTruncate:
                return true;
            default:
                return node.op >= Op::kSine;
        }
    }

    bool may_be_zero(std::int32_t real) const {
        const Node& node = model_.nodes[static_cast<std::size_t>(real)];
        if (node.op == Op::kToReal) return contains_zero(operand(node, 0));
        if (node.op != Op::kConstant) return true;
        return std::bit_cast<double>(
                   model_.constants[static_cast<std::size_t>(node.operands[0])]) == 0;
    }

    const Description& model_;
    Analysis result_;
};

}  // namespace

Analysis analyse(const Description& model) { return Analyser(model).run(); }

}  // namespace bugsieve::jani
