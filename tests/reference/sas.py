"""Naive reader and writer of the translator's SAS format, version 3, without axioms."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

Fact = tuple[int, int]  # (variable, value)
State = tuple[int, ...]


@dataclass(frozen=True)
class SasVariable:
    """A finite-domain variable; `facts` names its values."""

    name: str
    facts: tuple[str, ...]

    @property
    def size(self) -> int:
        """Number of values."""
        return len(self.facts)


@dataclass(frozen=True)
class SasEffect:
    """`variable := after` if all conditions hold; `before` is an operator precondition or -1."""

    conditions: tuple[Fact, ...]
    variable: int
    before: int
    after: int


@dataclass(frozen=True)
class SasOperator:
    """A grounded action; `cost` is the number in the file, see `SasTask.cost`."""

    name: str
    prevail: tuple[Fact, ...]
    effects: tuple[SasEffect, ...]
    cost: int

    @cached_property
    def preconditions(self) -> tuple[Fact, ...]:
        """Prevail conditions and the effects' `before` values, sorted, each fact once.

        A `before` value of a conditional effect is a precondition of the whole operator.
        """
        before = {(e.variable, e.before) for e in self.effects if e.before != -1}
        return tuple(sorted(set(self.prevail) | before))


@dataclass(frozen=True)
class SasTask:
    """A grounded planning task as it stands in the file."""

    metric: bool
    variables: tuple[SasVariable, ...]
    mutexes: tuple[tuple[Fact, ...], ...]
    initial: State
    goal: tuple[Fact, ...]
    operators: tuple[SasOperator, ...]

    def cost(self, operator: int) -> int:
        """What applying the operator costs: 1 in tasks without metric."""
        return self.operators[operator].cost if self.metric else 1


class _Lines:
    """The lines of a file in order, with the reading steps the format is made of."""

    def __init__(self, text: str) -> None:
        self._lines: Iterator[str] = iter(text.splitlines())

    def line(self) -> str:
        return next(self._lines)

    def expect(self, wanted: str) -> None:
        found = self.line()
        if found != wanted:
            raise ValueError(f"expected {wanted!r}, found {found!r}")

    def number(self) -> int:
        return int(self.line())

    def numbers(self) -> list[int]:
        return [int(word) for word in self.line().split()]

    def facts(self) -> tuple[Fact, ...]:
        """A count and that many lines "variable value"."""
        return tuple(_pair(self.numbers()) for _ in range(self.number()))


def _pair(numbers: list[int]) -> Fact:
    variable, value = numbers
    return variable, value


def parse(text: str) -> SasTask:
    """Read a task; raises ValueError on anything outside the format."""
    lines = _Lines(text)
    for wanted in ("begin_version", "3", "end_version", "begin_metric"):
        lines.expect(wanted)
    metric = lines.number() != 0
    lines.expect("end_metric")
    variables = tuple(_parse_variable(lines) for _ in range(lines.number()))
    mutexes = tuple(_parse_mutex(lines) for _ in range(lines.number()))
    lines.expect("begin_state")
    initial = tuple(lines.number() for _ in variables)
    lines.expect("end_state")
    lines.expect("begin_goal")
    goal = lines.facts()
    lines.expect("end_goal")
    operators = tuple(_parse_operator(lines) for _ in range(lines.number()))
    if lines.number() != 0:
        raise ValueError("axioms are not part of the reference format")
    return SasTask(metric, variables, mutexes, initial, goal, operators)


def _parse_variable(lines: _Lines) -> SasVariable:
    lines.expect("begin_variable")
    name = lines.line()
    lines.expect("-1")
    facts = tuple(lines.line() for _ in range(lines.number()))
    lines.expect("end_variable")
    return SasVariable(name, facts)


def _parse_mutex(lines: _Lines) -> tuple[Fact, ...]:
    lines.expect("begin_mutex_group")
    facts = lines.facts()
    lines.expect("end_mutex_group")
    return facts


def _parse_operator(lines: _Lines) -> SasOperator:
    lines.expect("begin_operator")
    name = lines.line()
    prevail = lines.facts()
    effects = tuple(_parse_effect(lines.numbers()) for _ in range(lines.number()))
    cost = lines.number()
    lines.expect("end_operator")
    return SasOperator(name, prevail, effects, cost)


def _parse_effect(numbers: list[int]) -> SasEffect:
    count = numbers[0]
    flat = numbers[1 : 1 + 2 * count]
    variable, before, after = numbers[1 + 2 * count :]
    return SasEffect(tuple(zip(flat[::2], flat[1::2], strict=True)), variable, before, after)


def render(task: SasTask) -> str:
    """Write the task in the form the translator writes it."""
    lines = ["begin_version", "3", "end_version"]
    lines += ["begin_metric", str(int(task.metric)), "end_metric"]
    lines.append(str(len(task.variables)))
    for variable in task.variables:
        lines += ["begin_variable", variable.name, "-1", str(variable.size)]
        lines += [*variable.facts, "end_variable"]
    lines.append(str(len(task.mutexes)))
    for group in task.mutexes:
        lines += ["begin_mutex_group", *_render_facts(group), "end_mutex_group"]
    lines += ["begin_state", *map(str, task.initial), "end_state"]
    lines += ["begin_goal", *_render_facts(task.goal), "end_goal"]
    lines.append(str(len(task.operators)))
    for operator in task.operators:
        lines += _render_operator(operator)
    lines.append("0")
    return "\n".join(lines) + "\n"


def _render_facts(facts: tuple[Fact, ...]) -> list[str]:
    return [str(len(facts)), *(f"{variable} {value}" for variable, value in facts)]


def _render_operator(operator: SasOperator) -> list[str]:
    lines = ["begin_operator", operator.name, *_render_facts(operator.prevail)]
    lines.append(str(len(operator.effects)))
    for effect in operator.effects:
        words = [len(effect.conditions)]
        for fact in effect.conditions:
            words += fact
        words += [effect.variable, effect.before, effect.after]
        lines.append(" ".join(map(str, words)))
    return [*lines, str(operator.cost), "end_operator"]
