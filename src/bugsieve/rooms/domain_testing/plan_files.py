"""Plans that people or planners wrote, one action per line, and what they do in a task."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bugsieve.base.errors import InputError
from bugsieve.tasks.pddl.execution import Atoms, Interpreter, PlanStep
from bugsieve.tasks.sources import MEBIBYTE, read_input

MAX_STEPS = 100_000
_MAX_BYTES = 16 * MEBIBYTE
# As planners write them: "(move a b)", and with a time before and a duration behind it.
_LINE = re.compile(r"\s*(?:\d+(?:\.\d*)?\s*:)?\s*\(([^()]*)\)\s*(?:\[[^\]]*\])?\s*")


def read_plan(path: Path) -> tuple[str, ...]:
    """The actions of a plan file as "(move a b)"; InputError with the line of a mistake."""
    text = read_input(path, kind="plan", max_bytes=_MAX_BYTES).decode("utf-8", "replace")
    steps = []
    for number, line in enumerate(text.splitlines(), start=1):
        line = line.split(";", 1)[0]
        if not line.strip():
            continue
        found = _LINE.fullmatch(line)
        if found is None:
            raise InputError(
                f"{path}:{number}: an action in parentheses was expected, such as (move a b)"
            )
        steps.append(f"({' '.join(found[1].lower().split())})")
        if len(steps) > MAX_STEPS:
            raise InputError(f"{path}:{number}: more than {MAX_STEPS} actions, the limit")
    return tuple(steps)


@dataclass(frozen=True)
class ReplayedStep:
    """An action that could be executed, and what it changed."""

    step: PlanStep
    before: Atoms
    after: Atoms

    @property
    def line(self) -> str:
        """The action with what became true and what became false."""
        signs = [f"+{atom}" for atom in sorted(self.after - self.before)]
        signs += [f"-{atom}" for atom in sorted(self.before - self.after)]
        return f"{self.step.text}  {' '.join(signs) or 'changes nothing'}"


@dataclass(frozen=True)
class ExecutedPlan:
    """A plan executed from the initial state, as far as that goes."""

    steps: tuple[ReplayedStep, ...]
    fault: str | None
    """The reason why it is not a plan; None if it is one."""
    cost: int

    @property
    def is_executable(self) -> bool:
        """Return true if every action was applicable in its turn."""
        return self.fault is None or self.fault.startswith(_GOAL_MISSED)

    def lines(self) -> Iterator[str]:
        """The plan state by state."""
        for number, replayed in enumerate(self.steps, start=1):
            yield f"{number:>4}. {replayed.line}"
        if self.fault is not None:
            yield f"      {self.fault}"


_GOAL_MISSED = "the goal is not reached"


def replay(
    interpreter: Interpreter, plan: Sequence[str], *, must_reach_goal: bool = True
) -> ExecutedPlan:
    """Execute a plan from the initial state; it must end in the goal, if not said otherwise."""
    state, cost = interpreter.initial, 0
    done: list[ReplayedStep] = []
    for number, text in enumerate(plan, start=1):
        try:
            step = interpreter.step(text)
        except InputError as error:
            return ExecutedPlan(tuple(done), f"step {number}: {error}", cost)
        unmet = interpreter.unmet(state, step)
        if unmet:
            fault = f"step {number}, {step.text}, is not applicable: {_failing(unmet)}"
            return ExecutedPlan(tuple(done), fault, cost)
        after = interpreter.apply(state, step)
        done.append(ReplayedStep(step, state, after))
        state, cost = after, cost + interpreter.cost(step)
    missing = interpreter.unmet_goal(state) if must_reach_goal else []
    lack = f"{_GOAL_MISSED}: {_failing(missing)}" if missing else None
    return ExecutedPlan(tuple(done), lack, cost)


def _failing(parts: Sequence[str]) -> str:
    return f"{', '.join(parts)} {'does' if len(parts) == 1 else 'do'} not hold"
