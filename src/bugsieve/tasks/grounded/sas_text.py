"""Tasks in the translator's SAS format as plain Python data, for those who rewrite tasks.

Only tasks with axioms are read this way; everything else goes straight to the native reader. The
text is our own child process's, so this reader trusts it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar

from bugsieve import _native

Fact: TypeAlias = tuple[int, int]
Content = TypeVar("Content")

NO_ATOM = "<none of those>"
NOT_DERIVED = -1


@dataclass
class SasVariable:
    """A variable; `layer` is NOT_DERIVED unless axioms define it."""

    name: str
    layer: int
    values: list[str]


@dataclass
class SasOperator:
    """Effects are (conditions, variable, value)."""

    name: str
    precondition: dict[int, int]
    effects: list[tuple[dict[int, int], int, int]]
    cost: int


@dataclass
class SasAxiom:
    """Sets the derived variable of `head` when all facts of `body` hold."""

    body: list[Fact]
    head: Fact


@dataclass
class SasTask:
    """Everything a SAS file says."""

    metric: int
    variables: list[SasVariable]
    mutexes: list[list[Fact]]
    initial: list[int]
    goal: list[Fact]
    operators: list[SasOperator]
    axioms: list[SasAxiom] = field(default_factory=list)


def may_have_axioms(text: bytes) -> bool:
    """Return true if the translator invented a derived predicate; its rules may be gone."""
    return b"new-axiom@" in text


def read_sas(text: bytes) -> SasTask:
    """Parse the translator's output."""
    return _Reader(text.decode("ascii").splitlines()).task()


class _Reader:
    def __init__(self, lines: list[str]) -> None:
        self.lines = iter(lines)

    def task(self) -> SasTask:
        self.between("version", self.number)
        return SasTask(
            metric=self.between("metric", self.number),
            variables=self.all_between("variable", self.variable),
            mutexes=self.all_between("mutex_group", self.facts),
            initial=self.state(),
            goal=self.between("goal", self.facts),
            operators=self.all_between("operator", self.operator),
            axioms=self.all_between("rule", self.axiom),
        )

    def line(self) -> str:
        return next(self.lines)

    def number(self) -> int:
        return int(self.line())

    def fact(self) -> Fact:
        variable, value = self.line().split()
        return int(variable), int(value)

    def facts(self) -> list[Fact]:
        return [self.fact() for _ in range(self.number())]

    def expect(self, word: str) -> None:
        found = self.line()
        if found != word:
            raise ValueError(f"{word!r} was expected, not {found!r}")

    def between(self, section: str, read: Callable[[], Content]) -> Content:
        self.expect(f"begin_{section}")
        content = read()
        self.expect(f"end_{section}")
        return content

    def all_between(self, section: str, read: Callable[[], Content]) -> list[Content]:
        return [self.between(section, read) for _ in range(self.number())]

    def variable(self) -> SasVariable:
        name, layer = self.line(), self.number()
        return SasVariable(name, layer, [self.line() for _ in range(self.number())])

    def state(self) -> list[int]:
        self.expect("begin_state")
        values: list[int] = []
        while (line := self.line()) != "end_state":
            values.append(int(line))
        return values

    def operator(self) -> SasOperator:
        name = self.line()
        precondition = dict(self.facts())
        effects = []
        for _ in range(self.number()):
            conditions, variable, before, after = self.effect()
            # An old value in an effect is a precondition of the whole operator, not of the effect.
            if before >= 0:
                precondition[variable] = before
            effects.append((conditions, variable, after))
        return SasOperator(name, precondition, effects, self.number())

    def effect(self) -> tuple[dict[int, int], int, int, int]:
        numbers = [int(word) for word in self.line().split()]
        facts = iter(numbers[1:-3])
        variable, before, after = numbers[-3:]
        return dict(zip(facts, facts, strict=True)), variable, before, after

    def axiom(self) -> SasAxiom:
        body = self.facts()
        variable, _, value = self.line().split()
        return SasAxiom(body, (int(variable), int(value)))


def from_core(task: _native.Task) -> SasTask:
    """A task that the native core has read, to be written anew with changes."""
    return SasTask(
        metric=int(task.uses_costs),
        variables=[
            SasVariable(name, NOT_DERIVED, task.fact_names(index))
            for index, name in enumerate(task.variable_names)
        ],
        mutexes=[list(group) for group in task.mutex_groups],
        initial=task.initial_state.tolist(),
        goal=list(task.goal),
        operators=[
            SasOperator(
                name,
                dict(task.preconditions(index)),
                [(dict(conditions), v, value) for conditions, v, value in task.effects(index)],
                cost,
            )
            for index, (name, cost) in enumerate(
                zip(task.operator_names, task.operator_costs.tolist(), strict=True)
            )
        ],
    )


def write_sas(task: SasTask) -> bytes:
    """The task in the translator's format; axioms must have been eliminated."""
    return ("\n".join(_lines(task)) + "\n").encode("utf-8")


def _lines(task: SasTask) -> Iterator[str]:
    yield from ("begin_version", "3", "end_version")
    yield from ("begin_metric", str(task.metric), "end_metric")
    yield str(len(task.variables))
    for variable in task.variables:
        yield from ("begin_variable", variable.name, str(variable.layer))
        yield from (str(len(variable.values)), *variable.values, "end_variable")
    yield str(len(task.mutexes))
    for group in task.mutexes:
        yield from ("begin_mutex_group", *_facts(group), "end_mutex_group")
    yield from ("begin_state", *map(str, task.initial), "end_state")
    yield from ("begin_goal", *_facts(task.goal), "end_goal")
    yield str(len(task.operators))
    yield from map(_operator_text, task.operators)
    yield "0"


def _facts(facts: list[Fact]) -> Iterator[str]:
    yield str(len(facts))
    yield from (f"{variable} {value}" for variable, value in sorted(facts))


def _operator_text(operator: SasOperator) -> str:
    """Build it in one piece: rules on large tasks write many thousands of operators repeatedly."""
    changed = {variable for _, variable, _ in operator.effects}
    facts = sorted(operator.precondition.items())
    prevail = [f"{variable} {value}" for variable, value in facts if variable not in changed]
    effects = [_effect_text(operator, *effect) for effect in operator.effects]
    counted = (str(len(prevail)), *prevail, str(len(effects)), *effects)
    return "\n".join(
        ("begin_operator", operator.name, *counted, str(operator.cost), "end_operator")
    )


def _effect_text(
    operator: SasOperator, conditions: dict[int, int], variable: int, value: int
) -> str:
    # Preconditions on changed variables are written as the old values of their effects.
    before = operator.precondition.get(variable, -1)
    if not conditions:
        return f"0 {variable} {before} {value}"
    facts = " ".join(f"{v} {d}" for v, d in sorted(conditions.items()))
    return f"{len(conditions)} {facts} {variable} {before} {value}"
