"""What a green certificate says, and whether it is true: written down as plainly as possible."""

from __future__ import annotations

import base64
import hashlib
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from tests.reference.sas import SasTask, State, render
from tests.reference.search import goal_distances
from tests.reference.successors import is_applicable, is_goal, successor


@dataclass(frozen=True)
class Row:
    """What is said of a state that is neither goal nor lost."""

    cost: int
    action: int = 0
    steps: int = 0
    plan: tuple[int, ...] = ()


@dataclass(frozen=True)
class Claim:
    """A green certificate, unpacked; None for a goal or a lost state."""

    objective: str
    step_limit: int
    rows: dict[State, Row | None]
    lost: frozenset[State]
    follows_plans: bool = False


def is_true(task: SasTask, claim: Claim) -> bool:
    """Whether all that the claim says is so, by brute force."""
    distances = goal_distances(task, task.initial)
    if set(distances) != set(claim.rows) or distances[task.initial] is None:
        return False
    if claim.lost != {state for state, value in distances.items() if value is None}:
        return False
    return all(
        (row is None) == (is_goal(task, state) or state in claim.lost)
        and (row is None or _is_right(task, claim, state, row, distances[state]))
        for state, row in claim.rows.items()
    )


def _is_right(task: SasTask, claim: Claim, state: State, row: Row, value: int | None) -> bool:
    """Whether the run takes the claimed steps to the goal; where costs count, at the least."""
    run = row.plan if claim.follows_plans else _followed(task, claim, state)
    steps = len(row.plan) if claim.follows_plans else row.steps
    if run is None or len(run) != steps or not 1 <= steps <= claim.step_limit:
        return False
    cost = 0
    for action in run:
        if is_goal(task, state) or not 0 <= action < len(task.operators):
            return False
        if not is_applicable(task, state, action):
            return False
        state, cost = successor(task, state, action), cost + task.cost(action)
    if not is_goal(task, state):
        return False
    return claim.objective == "qualitative" or row.cost == cost == value


def _followed(task: SasTask, claim: Claim, state: State) -> tuple[int, ...] | None:
    """The actions of the rows from the state on; None if they go round or nowhere."""
    run: list[int] = []
    while (row := claim.rows.get(state)) is not None and len(run) <= len(claim.rows):
        if row.action >= len(task.operators) or not is_applicable(task, state, row.action):
            return None
        run.append(row.action)
        state = successor(task, state, row.action)
    return tuple(run) if is_goal(task, state) else None


# The format, both ways.


def encoded(task: SasTask, claim: Claim, *, policy: str = "claimed") -> dict[str, Any]:
    """The certificate of a claim."""
    states = sorted(claim.rows)
    rows = [row for state in states if (row := claim.rows[state]) is not None]
    widths = _widths(task)
    numbers = [b"".join(map(_bytes, state, widths)) for state in states]
    columns = {
        "states": _planes(numbers),
        "lost": bytes(state in claim.lost for state in states),
        "costs": _column(row.cost for row in rows),
        "actions": _column(row.action for row in rows),
        "steps": _column(row.steps for row in rows),
        "lengths": _column(len(row.plan) for row in rows),
        "operators": _column(operator for row in rows for operator in row.plan),
    }
    names = column_names(claim.objective, claim.follows_plans)
    return {
        "green": 1,
        "task": {"name": "task", "sha256": hashlib.sha256(render(task).encode()).hexdigest()},
        "objective": claim.objective,
        "policy": policy,
        "step_limit": claim.step_limit,
        "states": len(states),
        "with_plan": len(states) - len(claim.lost),
        "columns": {name: packed(columns[name]) for name in names},
    }


def column_names(objective: str, follows_plans: bool) -> list[str]:
    """The columns that such a certificate has."""
    costs = ["costs"] if objective == "quantitative" else []
    of_runs = ["lengths", "operators"] if follows_plans else ["actions", "steps"]
    return ["states", "lost", *costs, *of_runs]


def decoded(task: SasTask, certificate: dict[str, Any]) -> Claim | None:
    """The claim of a certificate of the right types; None if its columns are not well-formed."""
    plain = {name: unpacked(text) for name, text in certificate["columns"].items()}
    follows, objective = "lengths" in plain, certificate["objective"]
    if sorted(plain) != sorted(column_names(objective, follows)):
        return None
    states = _states(task, plain["states"], certificate["states"])
    lost = plain["lost"]
    if states is None or set(lost) - {0, 1} or len(lost) != len(states):
        return None
    if certificate["with_plan"] != lost.count(0):
        return None
    acting = [
        state for state, bad in zip(states, lost, strict=True) if not (bad or is_goal(task, state))
    ]
    if any(bad and is_goal(task, s) for s, bad in zip(states, lost, strict=True)):
        return None
    count = len(acting)
    costs = _numbers(plain["costs"], count) if "costs" in plain else [0] * count
    rows: dict[State, Row | None] = dict.fromkeys(states)
    if follows:
        lengths = _numbers(plain["lengths"], count)
        taken = None if lengths is None else _numbers(plain["operators"], sum(lengths))
        if costs is None or lengths is None or taken is None:
            return None
        for state, cost, length in zip(acting, costs, lengths, strict=True):
            rows[state] = Row(cost, plan=tuple(taken[:length]))
            taken = taken[length:]
    else:
        actions, to_go = _numbers(plain["actions"], count), _numbers(plain["steps"], count)
        if costs is None or actions is None or to_go is None:
            return None
        for state, cost, action, steps in zip(acting, costs, actions, to_go, strict=True):
            rows[state] = Row(cost, action, steps)
    bad_states = frozenset(s for s, bad in zip(states, lost, strict=True) if bad)
    return Claim(objective, certificate["step_limit"], rows, bad_states, follows)


def packed(content: bytes) -> str:
    """A column as text."""
    return base64.b64encode(zlib.compress(content)).decode()


def unpacked(text: str) -> bytes:
    """The bytes of a column."""
    return zlib.decompress(base64.b64decode(text))


def _widths(task: SasTask) -> list[int]:
    return [1 if variable.size <= 256 else 2 for variable in task.variables]


def _bytes(number: int, width: int) -> bytes:
    return number.to_bytes(width, "big")


def _planes(numbers: Sequence[bytes]) -> bytes:
    """The first bytes of all numbers, then the second ones, and so on."""
    return b"".join(map(bytes, zip(*numbers, strict=True)))


def _column(numbers: Iterable[int]) -> bytes:
    column = list(numbers)
    width = max(1, (max(column, default=0).bit_length() + 7) // 8)
    return _planes([_bytes(number, width) for number in column])


def _numbers(content: bytes, count: int) -> list[int] | None:
    """The numbers of a column that is as narrow as it can be."""
    if not count:
        return None if content else []
    if not content or len(content) % count:
        return None
    planes = [content[i : i + count] for i in range(0, len(content), count)]
    if len(planes) > 1 and not any(planes[0]):
        return None
    return [int.from_bytes(bytes(digits), "big") for digits in zip(*planes, strict=True)]


def _states(task: SasTask, content: bytes, count: int) -> list[State] | None:
    widths = _widths(task)
    if len(content) != count * sum(widths):
        return None
    planes = [content[i : i + count] for i in range(0, len(content), count)]
    states = []
    for digits in zip(*planes, strict=True):
        rest, state = list(digits), []
        for width in widths:
            state.append(int.from_bytes(bytes(rest[:width]), "big"))
            rest = rest[width:]
        states.append(tuple(state))
    if any(one >= other for one, other in pairwise(states)):
        return None
    return states
