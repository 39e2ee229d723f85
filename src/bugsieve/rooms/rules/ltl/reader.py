"""Reads formulas: `G(moving(?r) -> stowed(?r))`, in ASCII or with the signs of books.

`! G F X N` bind most, then `U W R M`, `&`, `|`, `->` and `<->`; operators of two sides associate
to the right, and a chain of `&` or `|` is one formula of many parts. Nothing recurses.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple, NoReturn

from bugsieve.base.errors import InputError
from bugsieve.base.names import suggest
from bugsieve.rooms.rules.ltl.formula import FALSE, MAX_DEPTH, TRUE, Formula, Operator, atom
from bugsieve.rooms.rules.ltl.operators import BINARY, BINDING, UNARY, UNICODE

MAX_CHARACTERS = 100_000

_UNARY = {sign: operator for operator, sign in UNARY.items()}
_BINARY = {sign: operator for operator, sign in BINARY.items()}
_CONSTANTS = {"true": TRUE, "false": FALSE}
_SIGNS = (*_UNARY, *_BINARY, "(", ")")

_ARGUMENT = r"\??[A-Za-z0-9_](?:[A-Za-z0-9_]|-(?!>))*"
_TOKEN = re.compile(
    r"\s+"
    r"|(?P<name>[A-Za-z_](?:[A-Za-z0-9_]|-(?!>))*)"
    r"|(?P<sign><->|->|&(?!&)|\|(?!\|)|[!()])"
    rf"|(?P<unicode>[{''.join(UNICODE)}])"
    r"|(?P<strange>[^\sA-Za-z0-9_()]+|.)",
    re.DOTALL,
)
_ARGUMENTS = re.compile(rf"\(\s*{_ARGUMENT}\s*(?:,\s*{_ARGUMENT}\s*)*\)")

# Operators of other notations; names such as "not" are atoms to the tokenizer.
_HINTS = {
    "&&": "&", "/\\": "&", "^": "&", "*": "&", "||": "|", "\\/": "|", "+": "|", "~": "!",
    "=>": "->", "==>": "->", "-->": "->", "<=>": "<->", "<-->": "<->", "=": "<->", "==": "<->",
    "[]": "G", "<>": "F", "-": "->", "<": "<->", ">": "->", "<-": "<->",
    "not": "!", "and": "&", "or": "|", "implies": "->", "iff": "<->", "always": "G",
    "globally": "G", "eventually": "F", "finally": "F", "next": "X", "until": "U", "unless": "W",
    "release": "R", "releases": "R", "g": "G", "f": "F", "x": "X", "n": "N", "u": "U", "w": "W",
    "r": "R", "m": "M",
}  # fmt: skip


@dataclass(frozen=True)
class Place:
    """The place of a text: errors count lines and columns from its first character."""

    source: str
    """The user's name for the text: a file, or an argument of the command line."""
    line: int = 1
    column: int = 1

    def at(self, text: str, offset: int) -> str:
        """`rules.toml:12:9` for a character of the text."""
        above = text.count("\n", 0, offset)
        if above == 0:
            return f"{self.source}:{self.line}:{self.column + offset}"
        return f"{self.source}:{self.line + above}:{offset - text.rfind(chr(10), 0, offset)}"


class _Token(NamedTuple):
    text: str
    offset: int
    kind: str


class _Operand(NamedTuple):
    formula: Formula
    depth: int


@dataclass
class _Pending:
    """An operator or parenthesis that waits for its last operand."""

    token: _Token
    operator: Operator | None
    operands: int


def read_ltl(text: str, *, place: Place) -> Formula:
    """The formula a text means, or an InputError that names line and column."""
    return _Reader(text, place).read()


class _Reader:
    """Joins operands by the binding of the operators between them, with explicit stacks."""

    def __init__(self, text: str, place: Place) -> None:
        self.text = text
        self.place = place
        self.operands: list[_Operand] = []
        self.pending: list[_Pending] = []
        self.open = 0
        self.last: _Token | None = None

    def read(self) -> Formula:
        if len(self.text) > MAX_CHARACTERS:
            self._fail(0, f"the formula is longer than {MAX_CHARACTERS} characters")
        offset = 0
        wants_operand = True
        while offset < len(self.text):
            token = self._token(offset)
            offset += len(token.text)
            if token.kind == "space":
                continue
            if wants_operand:
                wants_operand, offset = self._operand(token, offset)
            else:
                wants_operand = self._after_operand(token)
            self.last = token
        return self._finish(wants_operand)

    def _token(self, offset: int) -> _Token:
        match = _TOKEN.match(self.text, offset)
        assert match is not None  # the last branch takes any character
        kind = match.lastgroup or "space"
        if kind == "strange":
            self._fail(offset, _strange(match.group()))
        return _Token(match.group(), offset, kind)

    def _operand(self, token: _Token, end: int) -> tuple[bool, int]:
        """Take a token where an operand may begin; whether one is still wanted, and its end."""
        sign = UNICODE.get(token.text, token.text)
        if sign == "(":
            self._open(token)
        elif sign in _UNARY:
            self.pending.append(_Pending(token, _UNARY[sign], 1))
        elif sign in _BINARY or sign == ")":
            self._fail(token.offset, self._missing(token.text))
        else:
            formula, end = self._leaf(token, sign, end)
            self.operands.append(_Operand(formula, 1))
            return False, end
        return True, end

    def _open(self, token: _Token) -> None:
        self.open += 1
        if self.open > MAX_DEPTH:
            self._too_deep(token)
        self.pending.append(_Pending(token, None, 0))

    def _leaf(self, token: _Token, sign: str, end: int) -> tuple[Formula, int]:
        if sign in _CONSTANTS:
            return _CONSTANTS[sign], end
        if not self.text.startswith("(", end):
            return atom(token.text), end
        match = _ARGUMENTS.match(self.text, end)
        if match is None:
            self._fail(end, self._bad_arguments(token.text, end))
        return atom(token.text + "".join(match.group().split())), match.end()

    def _after_operand(self, token: _Token) -> bool:
        """Take a token behind an operand; whether another operand is wanted."""
        sign = UNICODE.get(token.text, token.text)
        if sign == ")":
            self._close(token)
            return False
        if sign not in _BINARY:
            self._fail(token.offset, self._no_operator(token))
        self._binary(token, _BINARY[sign])
        return True

    def _binary(self, token: _Token, operator: Operator) -> None:
        while (top := self._top()) is not None and BINDING[top] > BINDING[operator]:
            self._reduce()
        if top == operator and operator in ("and", "or"):
            self.pending[-1].operands += 1
        else:
            self.pending.append(_Pending(token, operator, 2))

    def _top(self) -> Operator | None:
        return self.pending[-1].operator if self.pending else None

    def _close(self, token: _Token) -> None:
        while self._top() is not None:
            self._reduce()
        if not self.pending:
            self._fail(token.offset, "this ')' closes nothing, there is no '(' before it")
        self.pending.pop()
        self.open -= 1

    def _reduce(self) -> None:
        item = self.pending.pop()
        assert item.operator is not None
        parts = self.operands[-item.operands :]
        depth = 1 + max(part.depth for part in parts)
        if depth > MAX_DEPTH:
            self._too_deep(item.token)
        formula = Formula(item.operator, tuple(part.formula for part in parts))
        self.operands[-item.operands :] = [_Operand(formula, depth)]

    def _finish(self, wants_operand: bool) -> Formula:
        if self.last is None:
            self._fail(0, "the formula is empty")
        if wants_operand:
            self._fail(self.last.offset, self._unfinished(self.last))
        while self.pending:
            if self.pending[-1].operator is None:
                self._fail(self.pending[-1].token.offset, "this '(' is never closed")
            self._reduce()
        return self.operands[0].formula

    def _missing(self, found: str) -> str:
        before = self.last
        if found.isalpha():
            return f"{found!r} has nothing on its left; it is an operator and cannot name an atom"
        if before is None:
            return f"the formula begins with {found!r}, which has nothing on its left"
        if found == ")" and before.text == "(":
            return "there is nothing between '(' and ')'"
        if before.text == "(":
            return f"{found!r} has nothing on its left"
        return f"{before.text!r} has nothing on its right, {found!r} follows"

    def _unfinished(self, last: _Token) -> str:
        if last.text == "(":
            return "this '(' is never closed"
        return f"the formula ends after {last.text!r}, which has nothing on its right"

    def _no_operator(self, token: _Token) -> str:
        assert self.last is not None
        before = self.last.text
        sentence = f"an operator is missing between {_short(before)} and {_short(token.text)}"
        if token.text == "(" and self.last.kind == "name":
            return f"{sentence} (arguments follow the name without a space)"
        if UNICODE.get(token.text, token.text) in (*_UNARY, "("):
            return sentence
        return sentence + (_hint(before) or _hint(token.text))

    def _bad_arguments(self, name: str, start: int) -> str:
        end = self.text.find(")", start)
        if end < 0:
            return f"the arguments of {_short(name)} are never closed"
        inside = self.text[start + 1 : end].strip()
        if not inside:
            return f"{_short(name)} has empty parentheses; without arguments write the name alone"
        return (
            f"{_short(inside)} is no list of arguments of {_short(name)}: these are names or "
            f"variables such as '?r', divided by commas{_hint(name)}"
        )

    def _too_deep(self, token: _Token) -> NoReturn:
        self._fail(token.offset, f"the formula is nested more than {MAX_DEPTH} levels deep")

    def _fail(self, offset: int, sentence: str) -> NoReturn:
        raise InputError(f"{self.place.at(self.text, offset)}: {sentence}")


def _short(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:40] + "…")


def _hint(text: str) -> str:
    sign = _HINTS.get(text.casefold())
    return f" (did you mean {sign!r}?)" if sign and sign != text else ""


def _strange(text: str) -> str:
    """Name the sign of those run together that has a near operator, or the first one."""
    for length in (4, 3, 2, 1):
        hint = _hint(text[:length])
        if hint:
            return f"{text[:length]!r} is no operator{hint}"
    if text[0].isdigit():
        return f"{text[0]!r} cannot begin the name of an atom, a letter or '_' can"
    if text[0] == "?":
        return "a variable such as '?r' stands only between the parentheses of an atom"
    return f"{text[0]!r} is no operator{suggest(text[:3], _SIGNS)}"
