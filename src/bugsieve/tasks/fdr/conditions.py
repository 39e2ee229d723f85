"""Boolean conditions on PDDL facts, as users write them: `(and (on a b) (not (clear c)))`.

A condition is kept as a program for a stack machine, so that no depth of nesting recurses.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bugsieve.basis.errors import InputError
from bugsieve.tasks.fdr.sas_text import Fact
from bugsieve.tasks.fdr.task import Task

MAX_CHARACTERS = 20_000
JUNCTIONS = ("and", "or", "not")

_TOKEN = re.compile(r"[()]|[^\s()]+")

Result = TypeVar("Result")


@dataclass(frozen=True)
class Atom:
    """True in a state that has one of the facts; an atom may belong to several variables."""

    facts: tuple[Fact, ...]


@dataclass(frozen=True)
class Junction:
    """Joins the `count` results before it with "and", "or" or "not"."""

    word: str
    count: int


Step: TypeAlias = Atom | Junction


@dataclass(frozen=True)
class Condition:
    """A condition bound to one task; `text` has no static atoms and no constants left."""

    task: Task
    text: str
    program: tuple[Step, ...]
    """In postfix order: each junction stands behind what it joins."""

    def holds(self, states: ArrayLike) -> NDArray[np.bool_]:
        """Whether the condition holds in each state."""
        batch = self.task.checked_states(states)

        def atom(step: Atom) -> NDArray[np.bool_]:
            columns = [batch[:, variable] == value for variable, value in step.facts]
            return reduce(np.logical_or, columns)

        def junction(step: Junction, parts: Sequence[NDArray[np.bool_]]) -> NDArray[np.bool_]:
            if step.word == "not":
                return ~parts[0]
            return reduce(np.logical_and if step.word == "and" else np.logical_or, parts)

        return run_program(self.program, atom, junction)


def run_program(
    program: Sequence[Step],
    atom: Callable[[Atom], Result],
    junction: Callable[[Junction, Sequence[Result]], Result],
) -> Result:
    """The value of a postfix program."""
    stack: list[Result] = []
    for step in program:
        if isinstance(step, Atom):
            stack.append(atom(step))
        else:
            stack[-step.count :] = [junction(step, stack[-step.count :])]
    return stack[0]


def parse_condition(text: str, task: Task) -> Condition:
    """The condition that a text means in the task, or an InputError that says what is wrong."""
    if len(text) > MAX_CHARACTERS:
        raise InputError(f"a condition may have {MAX_CHARACTERS} characters, not {len(text)}")
    part = _Parser(text, task).part()
    if isinstance(part, bool):
        when = "holds in every state" if part else "never holds"
        raise InputError(f"condition {_shown(text)}: it {when}, so there is nothing to test")
    return Condition(task, part.text, part.program)


class _Part(NamedTuple):
    text: str
    program: tuple[Step, ...]


_Value: TypeAlias = _Part | bool  # a constant where static atoms decide


@dataclass
class _Block:
    """An open parenthesis: its words before any inner block, and the values of these."""

    words: list[str]
    values: list[_Value]


class _Parser:
    def __init__(self, text: str, task: Task) -> None:
        self.text = text
        self.task = task

    def part(self) -> _Value:
        blocks = [_Block([], [])]  # the outermost stands for the whole text
        for token in _TOKEN.findall(self.text.lower()):
            if token == "(":
                blocks.append(_Block([], []))
            elif token != ")":
                self._add_word(blocks, token)
            elif len(blocks) == 1:
                raise self._error("a ')' closes nothing")
            else:
                block = blocks.pop()
                blocks[-1].values.append(self._closed(block))
        if len(blocks) > 1:
            raise self._error("a '(' is never closed")
        if len(blocks[0].values) != 1:
            raise self._error("one formula was expected, such as (and (on a b) (not (clear c)))")
        return blocks[0].values[0]

    def _add_word(self, blocks: list[_Block], word: str) -> None:
        block = blocks[-1]
        if len(blocks) == 1 or block.values or (block.words and block.words[0] in JUNCTIONS):
            raise self._error(f"{word!r} stands where a formula in parentheses was expected")
        block.words.append(word)

    def _closed(self, block: _Block) -> _Value:
        if not block.words:
            raise self._error("there is a '(' without a word behind it")
        if block.words[0] not in JUNCTIONS:
            return self._atom(block)
        if block.words[0] == "not":
            return self._negation(block.values)
        return _junction(block.words[0], block.values)

    def _atom(self, block: _Block) -> _Value:
        name = f"({' '.join(block.words)})"
        if block.values:
            known = ", ".join(JUNCTIONS)
            raise self._error(
                f"only {known} may join formulas, but {block.words[0]!r} stands before one"
            )
        try:
            facts = self.task.places(name)
        except InputError as error:
            raise self._error(str(error)) from None
        return _Part(name, (Atom(facts),)) if facts else True

    def _negation(self, values: list[_Value]) -> _Value:
        if len(values) != 1:
            raise self._error(f"'not' takes one formula, but there are {len(values)}")
        inner = values[0]
        if isinstance(inner, bool):
            return not inner
        return _Part(f"(not {inner.text})", (*inner.program, Junction("not", 1)))

    def _error(self, sentence: str) -> InputError:
        return InputError(f"condition {_shown(self.text)}: {sentence}")


def _junction(word: str, values: list[_Value]) -> _Value:
    """A conjunction or disjunction without its constants."""
    neutral = word == "and"
    if any(value is (not neutral) for value in values):
        return not neutral
    parts = [value for value in values if not isinstance(value, bool)]
    if len(parts) < 2:
        return parts[0] if parts else neutral
    text = " ".join(part.text for part in parts)
    steps = tuple(step for part in parts for step in part.program)
    return _Part(f"({word} {text})", (*steps, Junction(word, len(parts))))


def _shown(text: str) -> str:
    return repr(text if len(text) <= 100 else text[:97] + "...")
