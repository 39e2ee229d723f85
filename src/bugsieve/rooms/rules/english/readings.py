"""Conditions, and nested readings: all of LTL in words, one phrase per operator.

| phrase | LTL |
|---|---|
| it is always the case that A | G A |
| it is eventually the case that A | F A |
| it is not the case that A, not A, !A | !A |
| at the next step, which must exist, A | X A |
| at the next step, if there is one, A | N A |
| A until B, which must come | A U B |
| A until B, if that ever comes | A W B |
| A up to and including B, if that ever comes | B R A |
| A up to and including B, which must come | B M A |
| if A then B, A -> B | A -> B |
| A if and only if B, A <-> B | A <-> B |
| A and B, A & B; A or B, A \\| B | A & B, A \\| B |

They bind as in LTL, `if A then B` like `->`. The writer puts all operands but literals in
parentheses, so that readers need not know this.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, NoReturn

from bugsieve.rooms.rules.english.words import RESERVED, WordStream
from bugsieve.rooms.rules.ltl.formula import (
    FALSE,
    MAX_DEPTH,
    TRUE,
    Formula,
    Operator,
    atom,
    fold,
)
from bugsieve.rooms.rules.ltl.operators import BINARY, BINDING, UNARY
from bugsieve.rooms.rules.ltl.printer import to_text

PREFIXES: dict[Operator, tuple[str, ...]] = {
    "globally": ("it", "is", "always", "the", "case", "that"),
    "finally": ("it", "is", "eventually", "the", "case", "that"),
    "not": ("it", "is", "not", "the", "case", "that"),
    "next": ("at", "the", "next", "step", ",", "which", "must", "exist", ","),
    "weak-next": ("at", "the", "next", "step", ",", "if", "there", "is", "one", ","),
}
INFIXES: dict[tuple[str, ...], tuple[Operator, Operator]] = {
    ("until",): ("until", "weak-until"),
    ("up", "to", "and", "including"): ("strong-release", "release"),
}
"""The operator that must come to its end, and the one that need not."""
MUST_COME = (",", "which", "must", "come")
MAY_COME = (",", "if", "that", "ever", "comes")
IF_AND_ONLY_IF = ("if", "and", "only", "if")

_LTL_OPERATORS = {*UNARY.values(), *BINARY.values()}
_LETTERS = frozenset(sign for sign in _LTL_OPERATORS if sign.isalpha())
_JOINTS: dict[str, Operator] = {
    "&": "and",
    "and": "and",
    "|": "or",
    "or": "or",
    "->": "implies",
    "<->": "iff",
}


def read_condition(words: WordStream, *, ends_at_and: bool = False) -> Formula:
    """Read a condition on a single state; with `ends_at_and`, it ends at the word "and"."""
    return _Reading(words, is_temporal=False, ends_at_and=ends_at_and).read()


def read_reading(words: WordStream) -> Formula:
    """Any formula."""
    return _Reading(words, is_temporal=True).read()


class _Operand(NamedTuple):
    formula: Formula
    depth: int


@dataclass
class _Pending:
    """An operator that waits for its last operand, or a word or sign that opens something."""

    opener: str
    """`(`, `if`, or empty for operators."""
    operator: Operator = "implies"
    count: int = 0
    """Of operands; a chain of "and" or "or" has any number."""
    phrase: tuple[str, ...] = ()
    """Of operators that end in "which must come" or "if that ever comes"."""


class _Reading:
    """Joins operands by how strongly the words between them bind, with explicit stacks."""

    def __init__(self, words: WordStream, *, is_temporal: bool, ends_at_and: bool = False) -> None:
        self.words = words
        self.is_temporal = is_temporal
        self.ends_at_and = ends_at_and
        self.operands: list[_Operand] = []
        self.pending: list[_Pending] = []
        self.open = 0

    def read(self) -> Formula:
        """The longest formula that the next words are."""
        while True:
            self._operand()
            self._complete()
            while self._closed():
                self._complete()
            if not self._joint():
                return self._finish()

    def _operand(self) -> None:
        """Go past what stands before an operand, and the operand."""
        while self._opened() or self._prefix():
            pass
        self.operands.append(_Operand(self._leaf(), 1))

    def _opened(self) -> bool:
        for opener in ("(", "if"):
            if self.words.accept(opener):
                self.pending.append(_Pending(opener))
                self.open += 1
                return True
        return False

    def _prefix(self) -> bool:
        words = self.words
        if words.accept("!") or words.accept("not"):
            self.pending.append(_Pending("", "not", 1))
            return True
        if not words.sees("it", "is") and not words.sees("at", "the"):
            return False
        for operator, phrase in PREFIXES.items():
            if (self.is_temporal or operator == "not") and words.accept(*phrase):
                self.pending.append(_Pending("", operator, 1))
                return True
        return self._no_phrase()

    def _complete(self) -> None:
        """An operand is complete: so is what binds it most strongly."""
        while self.pending and not self.pending[-1].opener:
            if self.pending[-1].phrase:
                self._end_phrase(self.pending[-1])
            elif self.pending[-1].count != 1:
                return
            self._reduce()

    def _end_phrase(self, item: _Pending) -> None:
        strong, weak = INFIXES[item.phrase]
        if self.words.accept(*MUST_COME):
            item.operator = strong
        elif self.words.accept(*MAY_COME):
            item.operator = weak
        else:
            self.words.fail(
                f"{_text(MUST_COME)!r} or {_text(MAY_COME)!r} is expected after what "
                f"{_text(item.phrase)!r} names, not {self.words.named(('which', 'if'))}"
            )

    def _closed(self) -> bool:
        """Go past a closing parenthesis; whether that has completed an operand."""
        if not self.open or not self.words.sees(")"):
            return False
        self._reduce_all()
        if self.pending[-1].opener == "if":
            self._no_then()
        self.words.expect([")"])
        self.pending.pop()
        self.open -= 1
        return True

    def _joint(self) -> bool:
        """Go past what stands between two operands; False at the end of the formula."""
        words = self.words
        if words.sees("then") and self.open:
            return self._then()
        for phrase in INFIXES if self.is_temporal else ():
            if words.accept(*phrase):
                self.pending.append(_Pending("", count=2, phrase=phrase))
                return True
        is_end = self.ends_at_and and not self.open and words.sees("and")
        operator = None if is_end else _JOINTS.get(words.token.word)
        if words.accept(*IF_AND_ONLY_IF):
            operator = "iff"
        elif operator is not None:
            words.position += 1
        if operator is not None:
            self._push(operator)
        return operator is not None

    def _then(self) -> bool:
        """The condition of the innermost "if" is complete: the rest is as after `->`."""
        self._reduce_all()
        if self.pending[-1].opener != "if":
            self.words.fail("')' is expected, not 'then'")
        self.words.expect(["then"])
        self.pending[-1] = _Pending("", "implies", 2)
        self.open -= 1
        return True

    def _push(self, operator: Operator) -> None:
        while (top := self._top()) is not None and BINDING[top] > BINDING[operator]:
            self._reduce()
        if top == operator and operator in ("and", "or"):
            self.pending[-1].count += 1
        else:
            self.pending.append(_Pending("", operator, 2))

    def _top(self) -> Operator | None:
        return self.pending[-1].operator if self.pending and not self.pending[-1].opener else None

    def _reduce_all(self) -> None:
        while self._top() is not None:
            self._reduce()

    def _reduce(self) -> None:
        item = self.pending.pop()
        parts = self.operands[-item.count :]
        depth = 1 + max(part.depth for part in parts)
        if depth > MAX_DEPTH:
            self.words.fail(f"the sentence is nested more than {MAX_DEPTH} levels deep")
        formulas = [part.formula for part in parts]
        if item.operator in ("release", "strong-release"):
            formulas.reverse()
        formula = Formula(item.operator, tuple(formulas))
        self.operands[-item.count :] = [_Operand(formula, depth)]

    def _finish(self) -> Formula:
        self._reduce_all()
        if self.pending and self.pending[-1].opener == "if":
            self._no_then()
        if self.pending:
            self.words.fail(f"')' is expected, not {self.words.token.shown}")
        return self.operands[0].formula

    def _leaf(self) -> Formula:
        token = self.words.token
        if token.kind == "atom":
            self.words.position += 1
            return atom(token.text)
        if token.kind != "word" or token.word in RESERVED - {"true", "false"}:
            self._no_operand()
        if token.text in _LETTERS:
            self.words.fail(f"{token.text!r} is an operator of LTL and no atom")
        self.words.position += 1
        constants = {"true": TRUE, "false": FALSE}
        return constants[token.word] if token.word in constants else atom(token.text)

    def _no_operand(self) -> NoReturn:
        token = self.words.token
        hint = f"; an atom of that name is written `{token.text}`" if token.kind == "word" else ""
        self.words.fail(f"an atom or a condition is expected, not {token.shown}{hint}")

    def _no_phrase(self) -> NoReturn:
        if not self.is_temporal:
            self.words.fail("a condition holds in a single state: no word about time belongs here")
        known = ", ".join(repr(_text(phrase)) for phrase in PREFIXES.values())
        self.words.fail(f"no phrase begins like this; there are {known}")

    def _no_then(self) -> NoReturn:
        near = self.words.named(["then"])
        self.words.fail(f"'then' is expected after a condition that 'if' begins, not {near}")


def write_condition(formula: Formula) -> str:
    """A formula without temporal operators, with signs."""
    return to_text(fold(formula, _quoted))


def write_reading(formula: Formula) -> str:
    """Any formula in words, without a full stop."""
    text = fold(formula, _phrase)
    return write_condition(formula) if text is None else text


def _phrase(formula: Formula, parts: Sequence[str | None]) -> str | None:
    """The formula in words; None for conditions without arrows, which signs say best."""
    if formula.operator in _PLAIN and all(text is None for text in parts):
        return None
    shown = [_group(part, text) for part, text in zip(formula.parts, parts, strict=True)]
    operator = formula.operator
    if operator in PREFIXES:
        return f"{_text(PREFIXES[operator])} {shown[0]}"
    if operator == "implies":
        return f"if {shown[0]} then {shown[1]}"
    if operator in ("and", "or"):
        return f" {operator} ".join(shown)
    if operator == "iff":
        return f" {_text(IF_AND_ONLY_IF)} ".join(shown)
    return _ended(operator, shown)


def _ended(operator: Operator, shown: Sequence[str]) -> str:
    (phrase,) = (phrase for phrase, names in INFIXES.items() if operator in names)
    strong, _ = INFIXES[phrase]
    left, right = shown if "until" in operator else reversed(shown)
    ending = MUST_COME if operator == strong else MAY_COME
    return f"{left} {_text(phrase)} {right}{_text(ending)}"


def _group(part: Formula, text: str | None) -> str:
    """An operand, in parentheses unless it is a literal."""
    shown = write_condition(part) if text is None else text
    inner = part.parts[0] if part.operator == "not" else part
    return shown if inner.operator in ("atom", "true", "false") else f"({shown})"


def _text(phrase: Sequence[str]) -> str:
    return " ".join(phrase).replace(" ,", ",")


def _quoted(formula: Formula, parts: Sequence[Formula]) -> Formula:
    """The same with names in backquotes that are words of sentences."""
    if formula.operator == "atom" and formula.name.partition("(")[0].casefold() in RESERVED:
        return atom(f"`{formula.name}`")
    return Formula(formula.operator, tuple(parts), formula.name)


def is_condition(formula: Formula) -> bool:
    """Return true if it speaks of a single state."""
    return fold(formula, _is_condition)


_PLAIN: frozenset[Operator] = frozenset(("true", "false", "atom", "not", "and", "or"))
_STATIC = _PLAIN | {"implies", "iff"}


def _is_condition(formula: Formula, parts: Sequence[bool]) -> bool:
    return formula.operator in _STATIC and all(parts)
