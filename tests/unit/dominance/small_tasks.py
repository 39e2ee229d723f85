"""Tasks written in a few letters: "a=1 -> b=1 (2)" is an operator of cost 2."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bugsieve.tasks.grounded.loading import native_task
from bugsieve.tasks.grounded.task import Task
from tests.reference.sas import (
    Fact,
    SasEffect,
    SasOperator,
    SasTask,
    SasVariable,
    State,
    render,
)

_FACT = re.compile(r"([a-z])=(\d)")


def task_of(sas: SasTask, name: str) -> Task:
    """The task, read from its text."""
    return Task(native_task(render(sas).encode(), name), name=name)


def small_task(goal: str, *operators: str, initial: str | None = None) -> Task:
    """Variables are letters from a on, with the values from 0 on that occur, at least two.

    "-> b=1 if a=1" is a conditional effect; an operator costs 1 if it does not say more.
    """
    sizes: dict[int, int] = {}
    for v, x in _facts(" ".join((goal, *operators))):
        sizes[v] = max(sizes.get(v, 2), x + 1)
    values = [sizes.get(v, 2) for v in range(max(sizes) + 1)]
    state = tuple(map(int, initial)) if initial else (0,) * len(values)
    return task_of(_sas(values, state, goal, operators), "small")


def _sas(sizes: Sequence[int], initial: State, goal: str, operators: Sequence[str]) -> SasTask:
    variables = tuple(
        SasVariable(f"var{v}", tuple(f"Atom at-{v}(x{x})" for x in range(size)))
        for v, size in enumerate(sizes)
    )
    numbered = tuple(_operator(f"op{i}", text) for i, text in enumerate(operators))
    return SasTask(True, variables, (), initial, _facts(goal), numbered)


def _operator(name: str, text: str) -> SasOperator:
    before, after = text.split("->")
    cost = re.search(r"\((\d+)\)", after)
    needed = dict(_facts(before))
    effects = []
    for effect in re.sub(r"\(\d+\)", "", after).split(","):
        changed, _, conditions = effect.partition("if")
        ((v, x),) = _facts(changed)
        effects.append(SasEffect(_facts(conditions), v, needed.pop(v, -1), x))
    prevail = tuple(sorted(needed.items()))
    return SasOperator(name, prevail, tuple(effects), int(cost[1]) if cost else 1)


def _facts(text: str) -> tuple[Fact, ...]:
    return tuple((ord(letter) - ord("a"), int(x)) for letter, x in _FACT.findall(text))
