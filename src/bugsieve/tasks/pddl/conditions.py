"""The one language of conditions: PDDL goals, `avoid:` and `--unsafe`.

A condition is read, checked against what the task declares, and expanded over its objects into a
program of a stack machine over ground atoms. Nothing recurses in the depth of its text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import NoReturn, TypeAlias, TypeVar

from bugsieve.base.errors import InputError
from bugsieve.tasks.pddl.declarations import variables
from bugsieve.tasks.pddl.formulas import JUNCTIONS, QUANTIFIERS, FormulaScope, check_condition
from bugsieve.tasks.pddl.reader import (
    MAX_DEPTH,
    Block,
    Document,
    Expression,
    TreeBuilder,
    Where,
    make_block,
    make_word,
    shortened,
    tokens,
)

MAX_PARTS = 1_000_000

Leaf = TypeVar("Leaf")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Junction:
    """Joins the `count` results before it with "and", "or" or "not"."""

    word: str
    count: int


Program: TypeAlias = tuple[str | Junction, ...]
"""Ground atoms "(on a b)" in postfix order: each junction stands behind what it joins."""

Truth: TypeAlias = Callable[[str], bool | None]
"""The truth value of a ground atom in every state; None where states differ."""

_Bound: TypeAlias = Mapping[str, str]
_Part: TypeAlias = tuple[Expression, _Bound]


def read_condition(
    text: str, *, name: str, max_depth: int = MAX_DEPTH, where: Where | None = None
) -> Document:
    """The blocks of a condition that is a text of its own; errors call it `name`.

    Where it is a part of another file, `where` tells the places of its characters.
    """
    builder = _ConditionBuilder(name, max_depth, where)
    if where is None:
        for number, line in enumerate(text.split("\n"), start=1):
            builder.add_line(line.split(";", 1)[0], number)
    else:
        for start, token in tokens(text):
            builder.add_line(token, start)
    return Document(name, b"", builder.finish(), where)


def expand_condition(scope: FormulaScope, condition: Expression, truth: Truth) -> Program | bool:
    """The checked condition without quantifiers and constants; a constant where none is left.

    The terms in reach must be the objects of the task.
    """
    check_condition(scope, condition)
    return ConditionExpansion(scope, condition).program(truth)


def run_program(
    program: Sequence[Leaf | Junction],
    atom: Callable[[Leaf], Result],
    junction: Callable[[Junction, Sequence[Result]], Result],
) -> Result:
    """The value of a postfix program."""
    stack: list[Result] = []
    for step in program:
        if isinstance(step, Junction):
            stack[-step.count :] = [junction(step, stack[-step.count :])]
        else:
            stack.append(atom(step))
    return stack[0]


def program_text(program: Program) -> str:
    """The program as a PDDL condition of atoms, `and`, `or` and `not`."""
    return run_program(program, str, lambda step, parts: f"({step.word} {' '.join(parts)})")


class _ConditionBuilder(TreeBuilder):
    """Speaks of a formula, where the reader of files speaks of files and sections."""

    def finish(self) -> Block:
        if self.root is None:
            self._expect_formula(1 if self.where is None else 0)
        if self.open:
            raise InputError(f"{self.at(self.open[-1].line)}: a '(' is never closed")
        return self.root

    def reject_outside(self, token: str, line: int) -> NoReturn:
        if token == "(":
            self._expect_formula(line)
        if token == ")":
            raise InputError(f"{self.at(line)}: a ')' closes nothing")
        raise InputError(
            f"{self.at(line)}: {shortened(token)!r} stands where a formula in parentheses "
            "was expected"
        )

    def _expect_formula(self, line: int) -> NoReturn:
        raise InputError(
            f"{self.at(line)}: one formula was expected, such as (and (on a b) (not (clear c)))"
        )


@dataclass
class _Frame:
    """A junction under construction: its program begins at `start`."""

    word: str
    start: int
    parts: Iterator[_Part]
    kept: int = 0
    constant: bool | None = None

    def add(self, value: bool | None) -> None:
        """Take in a part: a constant, or None for one that stands in the program."""
        if value is None:
            self.kept += 1
        elif self.word == "not":
            self.constant = not value
        elif value is not (self.word == "and"):
            self.constant = value
            self.parts = iter(())  # later parts change nothing


class ConditionExpansion:
    """Replaces variables by objects, and drops what is the same in every state.

    For conditions that have been checked; the terms in reach must be the objects of the task.
    """

    def __init__(self, scope: FormulaScope, condition: Expression) -> None:
        self._scope = scope
        self._condition = condition
        self._ranges: dict[int, tuple[list[str], list[list[str]]]] = {}
        self.size = self._counted(condition)
        """The number of parts that the quantifiers stand for; making them takes long."""

    def program(self, truth: Truth, bound: Mapping[str, str] | None = None) -> Program | bool:
        """The program; `bound` has the objects of free variables."""
        return _Expander(self._ranges, truth).run(self._condition, bound or {})

    def _counted(self, root: Expression) -> int:
        """The number of parts; an error if there are too many."""
        size = 0
        pending = [(root, 1)]
        while pending:
            item, copies = pending.pop()
            assert isinstance(item, Block)
            size += copies
            if size > MAX_PARTS:
                feature = f"quantifiers that stand for more than {MAX_PARTS} parts"
                raise self._scope.document.unsupported(item, self._scope.owner, feature)
            if item[0] in QUANTIFIERS:
                self._ranges[id(item)] = self._range(item)
                copies *= prod(map(len, self._ranges[id(item)][1]))
                pending.append((item[2], copies))
            elif item[0] in JUNCTIONS:
                pending += ((part, copies) for part in item[1:])
        return size

    def _range(self, item: Block) -> tuple[list[str], list[list[str]]]:
        """The variables of a quantifier, and the objects that each may be."""
        document, vocabulary = self._scope.document, self._scope.vocabulary
        assert isinstance(item[1], Block)
        own = variables(document, item[1], vocabulary.types, self._scope.owner)
        choices = [vocabulary.of_type(self._scope.terms, kind) for kind in own.values()]
        return list(own), choices


class _Expander:
    """Makes one program of a stack machine."""

    def __init__(self, ranges: Mapping[int, tuple[list[str], list[list[str]]]], truth: Truth):
        self._truth = truth
        self._program: list[str | Junction] = []
        self._ranges = ranges

    def run(self, root: Expression, bound: _Bound) -> Program | bool:
        frames = [_Frame("and", 0, iter([(root, bound)]))]  # the outermost holds the whole alone
        while True:
            part = next(frames[-1].parts, None)
            opened = self._closed(frames.pop()) if part is None else self._opened(*part)
            if isinstance(opened, _Frame):
                frames.append(opened)
            elif frames:
                frames[-1].add(opened)
            else:
                return tuple(self._program) if opened is None else opened

    def _opened(self, item: Expression, bound: _Bound) -> _Frame | bool | None:
        assert isinstance(item, Block)
        start = len(self._program)
        tag = str(item[0])
        if tag in QUANTIFIERS:
            parts = ((item[2], case) for case in self._cases(item, bound))
            return _Frame("and" if tag == "forall" else "or", start, parts)
        if tag == "imply":
            premise = make_block(item.line, make_word("not", item.line), item[1])
            return _Frame("or", start, iter([(premise, bound), (item[2], bound)]))
        if tag in JUNCTIONS:
            return _Frame(tag, start, ((part, bound) for part in item[1:]))
        return self._atom([bound.get(str(word), str(word)) for word in item])

    def _atom(self, words: list[str]) -> bool | None:
        if words[0] == "=":
            return words[1] == words[2]
        name = f"({' '.join(words)})"
        truth = self._truth(name)
        if truth is None:
            self._program.append(name)
        return truth

    def _closed(self, frame: _Frame) -> bool | None:
        if frame.constant is not None:
            del self._program[frame.start :]
            return frame.constant
        if not frame.kept:
            return frame.word == "and"
        if frame.kept > 1 or frame.word == "not":
            self._program.append(Junction(frame.word, frame.kept))
        return None

    def _cases(self, item: Block, bound: _Bound) -> Iterator[_Bound]:
        """The variables of a quantifier bound to objects in every way."""
        names, choices = self._ranges[id(item)]
        for case in product(*choices):
            yield {**bound, **dict(zip(names, case, strict=True))}
