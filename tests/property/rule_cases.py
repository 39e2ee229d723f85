"""Random flight rules on random small tasks, and certificates that a naive engine would write."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Any

from tests.property.strategies import CONDITIONAL, SMALL, TINY, seeded_task
from tests.reference.rule_traces import (
    Atoms,
    closed_facts,
    has_trace,
    letter_of,
    plain_pairs,
    reached_states,
)
from tests.reference.sas import SasTask, State, render
from tests.reference.successors import holds, successors
from tests.reference.temporal import BINARY, UNARY, Formula, atoms_of, in_view, to_text
from tests.reference.temporal import holds as satisfies

NAMES = ("a", "b(x)", "c-d")
VIEWS = ("strong", "neutral", "weak")
CLAIMS = ("violation", "satisfaction", "trap")


def random_formula(random: Random, names: Sequence[str], depth: int) -> Formula:
    """A formula of at most this depth."""
    if depth == 0 or random.random() < 0.15:
        if random.random() < 0.05:
            return (random.choice(("true", "false")),)
        return ("atom", random.choice(names))
    if random.random() < 0.5:
        return (random.choice(UNARY), random_formula(random, names, depth - 1))
    parts = (random_formula(random, names, depth - 1) for _ in range(2))
    return (random.choice(BINARY), *parts)


def random_condition(random: Random, task: SasTask, depth: int = 2) -> Any:
    """A condition of facts as certificates have it."""
    if depth == 0 or random.random() < 0.4:
        variable = random.randrange(len(task.initial))
        return ["fact", variable, random.randrange(task.variables[variable].size)]
    sign = random.choice(("and", "or", "not"))
    count = 1 if sign == "not" else random.randint(1, 3)
    return [sign, *(random_condition(random, task, depth - 1) for _ in range(count))]


def _random_atom(random: Random, task: SasTask) -> Any:
    if random.random() < 0.7:
        return random_condition(random, task)
    count = len(task.operators)
    return ["did", sorted(random.sample(range(count), random.randint(1, min(3, count))))]


@dataclass(frozen=True)
class RuleCase:
    """A task, a rule in it, and what is claimed of the rule."""

    task: SasTask
    rule: Formula
    atoms: Atoms
    claim: str
    view: str
    with_goal: bool

    @cached_property
    def text(self) -> str:
        """The task as SAS."""
        return render(self.task)

    @cached_property
    def formula(self) -> Formula:
        """What a trace must satisfy."""
        if self.claim == "trap":
            return self.rule
        rule = ("!", self.rule) if self.claim == "violation" else self.rule
        return in_view(rule, self.view)

    @cached_property
    def has_trace(self) -> bool:
        """Whether there is a trace, by brute force."""
        return has_trace(self.task, self.formula, self.atoms, with_goal=self.with_goal)

    def certificate(self, kind: str, **content: Any) -> dict[str, Any]:
        """The certificate with this trace or proof."""
        return {
            "certificate": 1,
            "kind": kind,
            "task": {"name": "random", "sha256": hashlib.sha256(self.text.encode()).hexdigest()},
            "rule": to_text(self.rule),
            "claim": self.claim,
            "view": self.view,
            "formula": to_text(self.formula),
            "atoms": dict(self.atoms),
            "with_goal": self.with_goal,
            "lasso": False,
            **content,
        }

    def none(self, by: str) -> dict[str, Any]:
        """A certificate of "none" of this kind; it need not prove anything."""
        proof: dict[str, Any] = {"by": by}
        if by == "facts":
            facts, _ = closed_facts(self.task, self.formula, self.atoms, with_goal=self.with_goal)
            proof["facts"] = [list(fact) for fact in sorted(facts)]
        elif by == "pairs":
            pairs = sorted(plain_pairs(self.task))
            proof["pairs"] = [[*one, *other] for one, other in pairs if one <= other]
        elif by == "states":
            proof["states"] = [list(state) for state in sorted(reached_states(self.task))]
        return self.certificate("none", proof=proof)

    def trace(self, operators: list[int], loop_start: int | None = None) -> dict[str, Any]:
        """A certificate with this trace; it need not prove anything."""
        actions = [f"({self.task.operators[o].name})" for o in operators]
        trace = {"operators": operators, "actions": actions, "loop_start": loop_start}
        lasso = loop_start is not None
        return self.certificate("trace", trace=trace, lasso=lasso)

    def satisfied_by(self, operators: list[int]) -> bool:
        """Whether the trace of these operators, which must be applicable, satisfies the claim."""
        state: State = self.task.initial
        word = [letter_of(self.atoms, state, None)]
        for operator in operators:
            state = dict(successors(self.task, state))[operator]
            word.append(letter_of(self.atoms, state, operator))
        return satisfies(self.formula, word) and (
            not self.with_goal or holds(self.task.goal, state)
        )


def rule_case(seed: int) -> RuleCase:
    """The case that a seed stands for."""
    random = Random(seed)
    task = seeded_task(seed, random.choice((TINY, SMALL, CONDITIONAL)))
    names = NAMES[: random.randint(1, 3)]
    rule = random_formula(random, names, random.randint(1, 3))
    return RuleCase(
        task=task,
        rule=rule,
        atoms={name: _random_atom(random, task) for name in sorted(atoms_of(rule))},
        claim=random.choice(CLAIMS),
        view=random.choice(VIEWS),
        with_goal=random.random() < 0.5,
    )
