#include "jani/machine.h"

#include "jani/arithmetic.h"

namespace bugsieve::jani {

namespace {

constexpr std::uint32_t code(Op op) { return static_cast<std::uint32_t>(op); }
constexpr std::uint32_t code(Code c) { return static_cast<std::uint32_t>(c); }

}  // namespace

Ending run(std::span<const Instruction> program, std::uint32_t entry, Word* registers) {
    Word* const r = registers;
    const Instruction* const start = program.data();
    const Instruction* next = start + entry;
    Ending ending;
    for (;;) {
        const Instruction& i = *next++;
        const Word a = r[i.a], b = r[i.b];
        switch (code(i.code)) {
            case code(Code::kAccept):
                return Ending::kTrue;
            case code(Code::kReject):
                return Ending::kFalse;
            case code(Code::kMove):
                r[i.target] = a;
                continue;
            case code(Code::kMoveIf):
                if (a.integer) r[i.target] = b;
                continue;
            case code(Code::kJump):
                next = start + i.target;
                continue;
            case code(Code::kJumpIf):
                if (a.integer) next = start + i.target;
                continue;
            case code(Code::kJumpUnless):
                if (!a.integer) next = start + i.target;
                continue;
            case code(Code::kJumpIfIntEqual):
                if (a.integer == b.integer) next = start + i.target;
                continue;
            case code(Code::kJumpUnlessIntEqual):
                if (!(a.integer == b.integer)) next = start + i.target;
                continue;
            case code(Code::kJumpIfIntLess):
                if (a.integer < b.integer) next = start + i.target;
                continue;
            case code(Code::kJumpUnlessIntLess):
                if (!(a.integer < b.integer)) next = start + i.target;
                continue;
            case code(Code::kJumpIfIntAtMost):
                if (a.integer <= b.integer) next = start + i.target;
                continue;
            case code(Code::kJumpUnlessIntAtMost):
                if (!(a.integer <= b.integer)) next = start + i.target;
                continue;
            case code(Code::kJumpIfRealEqual):
                if (a.real == b.real) next = start + i.target;
                continue;
            case code(Code::kJumpUnlessRealEqual):
                if (!(a.real == b.real)) next = start + i.target;
                continue;
            case code(Code::kJumpIfRealLess):
                if (a.real < b.real) next = start + i.target;
                continue;
            case code(Code::kJumpUnlessRealLess):
                if (!(a.real < b.real)) next = start + i.target;
                continue;
            case code(Code::kJumpIfRealAtMost):
                if (a.real <= b.real) next = start + i.target;
                continue;
            case code(Code::kJumpUnlessRealAtMost):
                if (!(a.real <= b.real)) next = start + i.target;
                continue;
            case code(Op::kToReal):
                r[i.target].real = static_cast<double>(a.integer);
                continue;
            case code(Op::kNot):
                r[i.target].integer = a.integer ^ 1;
                continue;
            case code(Op::kAnd):
                r[i.target].integer = a.integer & b.integer;
                continue;
            case code(Op::kOr):
                r[i.target].integer = a.integer | b.integer;
                continue;
            case code(Op::kIntEqual):
                r[i.target].integer = a.integer == b.integer;
                continue;
            case code(Op::kIntLess):
                r[i.target].integer = a.integer < b.integer;
                continue;
            case code(Op::kIntAtMost):
                r[i.target].integer = a.integer <= b.integer;
                continue;
            case code(Op::kRealEqual):
                r[i.target].integer = a.real == b.real;
                continue;
            case code(Op::kRealLess):
                r[i.target].integer = a.real < b.real;
                continue;
            case code(Op::kRealAtMost):
                r[i.target].integer = a.real <= b.real;
                continue;
            case code(Op::kIntAdd):
                ending = add(a.integer, b.integer, r[i.target].integer);
                break;
            case code(Op::kIntSubtract):
                ending = subtract(a.integer, b.integer, r[i.target].integer);
                break;
            case code(Op::kIntMultiply):
                ending = multiply(a.integer, b.integer, r[i.target].integer);
                break;
            case code(Op::kIntModulo):
                ending = modulo(a.integer, b.integer, r[i.target].integer);
                break;
            case code(Op::kIntMinimum):
                r[i.target].integer = b.integer < a.integer ? b.integer : a.integer;
                continue;
            case code(Op::kIntMaximum):
                r[i.target].integer = b.integer > a.integer ? b.integer : a.integer;
                continue;
            case code(Op::kIntPower):
                ending = power(a.integer, b.integer, r[i.target].integer);
                break;
            case code(Op::kIntAbsolute):
                ending = absolute(a.integer, r[i.target].integer);
                break;
            case code(Op::kIntSign):
                r[i.target].integer = (a.integer > 0) - (a.integer < 0);
                continue;
            case code(Op::kRealAdd):
                r[i.target].real = a.real + b.real;
                continue;
            case code(Op::kRealSubtract):
                r[i.target].real = a.real - b.real;
                continue;
            case code(Op::kRealMultiply):
                r[i.target].real = a.real * b.real;
                continue;
            case code(Op::kRealDivide):
                ending = divide(a.real, b.real, r[i.target].real);
                break;
            case code(Op::kRealMinimum):
                r[i.target].real = b.real < a.real ? b.real : a.real;
                continue;
            case code(Op::kRealMaximum):
                r[i.target].real = b.real > a.real ? b.real : a.real;
                continue;
            case code(Op::kRealPower):
                ending = finite(std::pow(a.real, b.real), r[i.target].real);
                break;
            case code(Op::kRealLogarithm):
                ending = logarithm(a.real, b.real, r[i.target].real);
                break;
            case code(Op::kRealAbsolute):
                r[i.target].real = std::fabs(a.real);
                continue;
            case code(Op::kRealSign):
                r[i.target].integer = (a.real > 0) - (a.real < 0);
                continue;
            case code(Op::kFloor):
                ending = to_integer(std::floor(a.real), r[i.target].integer);
                break;
            case code(Op::kCeiling):
                ending = to_integer(std::ceil(a.real), r[i.target].integer);
                break;
            case code(Op::kTruncate):
                ending = to_integer(std::trunc(a.real), r[i.target].integer);
                break;
            case code(Op::kSine):
                ending = finite(std::sin(a.real), r[i.target].real);
                break;
            case code(Op::kCosine):
                ending = finite(std::cos(a.real), r[i.target].real);
                break;
            case code(Op::kTangent):
                ending = finite(std::tan(a.real), r[i.target].real);
                break;
            case code(Op::kArcSine):
                ending = finite(std::asin(a.real), r[i.target].real);
                break;
            case code(Op::kArcCosine):
                ending = finite(std::acos(a.real), r[i.target].real);
                break;
            case code(Op::kArcTangent):
                ending = finite(std::atan(a.real), r[i.target].real);
                break;
            case code(Op::kHyperbolicSine):
                ending = finite(std::sinh(a.real), r[i.target].real);
                break;
            case code(Op::kHyperbolicCosine):
                ending = finite(std::cosh(a.real), r[i.target].real);
                break;
            case code(Op::kHyperbolicTangent):
                ending = finite(std::tanh(a.real), r[i.target].real);
                break;
            default:  // constants, variables and choices are compiled to other instructions
                __builtin_unreachable();
        }
        if (ending != Ending::kTrue) [[unlikely]]
            return ending;
    }
}

}  // namespace bugsieve::jani
