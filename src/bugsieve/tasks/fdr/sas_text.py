"""Tasks in the translator's SAS format as plain Python data, for those who rewrite tasks.

Only tasks with axioms are read this way; everything else goes straight to the native reader. The
text is our own child process's, so this reader trusts it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from bugsieve import _native

Fact: TypeAlias = tuple[int, int]

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
    """Whether the translator invented a derived predicate, with or without rules left for it."""
    return b"new-axiom@" in text


def read_sas(text: bytes) -> SasTask:
    """Parse the translator's output."""
    return _Reader(text.decode("ascii").splitlines()).task()


class _Reader:
    def __init__(self, lines: list[str]) -> None:
        self.lines = iter(lines)

    def task(self) -> SasTask:
        self.number_between("begin_version", "end_version")
        return SasTask(
            metric=self.number_between("begin_metric", "end_metric"),
            variables=[self.variable() for _ in range(self.number())],
            mutexes=[self.mutex() for _ in range(self.number())],
            initial=self.state(),
            goal=self.facts_between("begin_goal", "end_goal"),
            operators=[self.operator() for _ in range(self.number())],
            axioms=[self.axiom() for _ in range(self.number())],
        )

    def line(self) -> str:
        return next(self.lines)

    def number(self) -> int:
        return int(self.line())

    def fact(self) -> Fact:
        variable, value = self.line().split()
        return int(variable), int(value)

    def expect(self, word: str) -> None:
        found = self.line()
        if found != word:
            raise ValueError(f"{word!r} was expected, not {found!r}")

    def number_between(self, begin: str, end: str) -> int:
        self.expect(begin)
        number = self.number()
        self.expect(end)
        return number

    def facts_between(self, begin: str, end: str) -> list[Fact]:
        self.expect(begin)
        facts = [self.fact() for _ in range(self.number())]
        self.expect(end)
        return facts

    def variable(self) -> SasVariable:
        self.expect("begin_variable")
        name, layer = self.line(), self.number()
        values = [self.line() for _ in range(self.number())]
        self.expect("end_variable")
        return SasVariable(name, layer, values)

    def mutex(self) -> list[Fact]:
        return self.facts_between("begin_mutex_group", "end_mutex_group")

    def state(self) -> list[int]:
        self.expect("begin_state")
        values: list[int] = []
        while (line := self.line()) != "end_state":
            values.append(int(line))
        return values

    def operator(self) -> SasOperator:
        self.expect("begin_operator")
        name = self.line()
        precondition = dict(self.fact() for _ in range(self.number()))
        effects = []
        for _ in range(self.number()):
            conditions, variable, before, after = self.effect()
            # An old value in an effect is a precondition of the whole operator, not of the effect.
            if before >= 0:
                precondition[variable] = before
            effects.append((conditions, variable, after))
        cost = self.number()
        self.expect("end_operator")
        return SasOperator(name, precondition, effects, cost)

    def effect(self) -> tuple[dict[int, int], int, int, int]:
        numbers = [int(word) for word in self.line().split()]
        facts = iter(numbers[1:-3])
        variable, before, after = numbers[-3:]
        return dict(zip(facts, facts, strict=True)), variable, before, after

    def axiom(self) -> SasAxiom:
        self.expect("begin_rule")
        body = [self.fact() for _ in range(self.number())]
        variable, _, value = self.line().split()
        self.expect("end_rule")
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
    for operator in task.operators:
        yield from _operator_lines(operator)
    yield "0"


def _facts(facts: list[Fact]) -> Iterator[str]:
    yield str(len(facts))
    yield from (f"{variable} {value}" for variable, value in sorted(facts))


def _operator_lines(operator: SasOperator) -> Iterator[str]:
    changed = {variable for _, variable, _ in operator.effects}
    prevail = [fact for fact in operator.precondition.items() if fact[0] not in changed]
    yield from (
        "begin_operator",
        operator.name,
        *_facts(prevail),
        str(len(operator.effects)),
    )
    for conditions, variable, value in operator.effects:
        facts = [number for fact in sorted(conditions.items()) for number in fact]
        # Preconditions on changed variables are written as the old values of their effects.
        before = operator.precondition.get(variable, -1)
        yield " ".join(map(str, (len(conditions), *facts, variable, before, value)))
    yield from (str(operator.cost), "end_operator")
