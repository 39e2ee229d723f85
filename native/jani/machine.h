// A register machine for expressions. Registers hold the variables, then the constants, then
// intermediate values.
#pragma once

#include <cstdint>
#include <span>

#include "jani/description.h"

namespace bugsieve::jani {

union Word {
    std::int64_t integer;
    double real;
    std::uint64_t bits;
};

// Instructions that compute a value are numbered like the operators of expressions.
enum class Code : std::uint32_t {
    kAccept = static_cast<std::uint32_t>(Op::kCount),
    kReject,
    kMove,    // target = a
    kMoveIf,  // target = b, if a
    kJump,    // to target
    kJumpIf,  // if a
    kJumpUnless,
    kJumpIfIntEqual,  // jumps compare a and b
    kJumpIfIntLess,
    kJumpIfIntAtMost,
    kJumpIfRealEqual,
    kJumpIfRealLess,
    kJumpIfRealAtMost,
    kJumpUnlessIntEqual,
    kJumpUnlessIntLess,
    kJumpUnlessIntAtMost,
    kJumpUnlessRealEqual,
    kJumpUnlessRealLess,
    kJumpUnlessRealAtMost,
};

struct Instruction {
    Code code;
    std::uint32_t target;  // register, or number of the instruction to go to
    std::uint32_t a, b;    // registers
};

// The ending of a program. All after kTrue are errors of the model.
enum class Ending : std::uint8_t {
    kFalse,
    kTrue,
    kDivisionByZero,
    kOverflow,          // an integer beyond 64 bits
    kNegativeExponent,  // of integers
    kUndefined,         // a function where it has no finite value
    kOutOfBounds,       // the rest concerns edges, not expressions
    kBadProbability,
    kNoOutcome,
    kConflict,
};

// Runs the program that begins at `entry` up to kAccept (kTrue), kReject (kFalse) or an error.
Ending run(std::span<const Instruction> program, std::uint32_t entry, Word* registers);

}  // namespace bugsieve::jani
