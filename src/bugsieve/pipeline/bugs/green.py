"""Green certificates: what proves a policy optimal from all reachable states, as JSON.

`checkers.green` says what such a certificate holds, and checks it with the text of the task alone.
A campaign that has tested a whole state space makes one here.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.bugs.certificate import memory_mark, task_part
from bugsieve.policies.graph import PolicyGraph
from bugsieve.policies.policy import policy_name
from bugsieve.tasks.grounded.task import ActionArray, StateArray, Task

VERSION = 1
OBJECTIVES = ("quantitative", "qualitative")
"""The objectives of which a green can be certified."""

SHAPE = {
    "green": int,
    "task": {"name": str, "sha256": str},
    "objective": str,
    "policy": str,
    "step_limit": int,
    "states": int,
    "with_plan": int,
    "columns": {"states": str, "lost": str},
}
"""The shape of the JSON; what it proves is the checker's matter."""

Counts = NDArray[np.int64]


def green_certificate(
    bench: Bench, states: StateArray, is_lost: NDArray[np.bool_], costs: Counts
) -> dict[str, Any] | None:
    """Return the certificate of a policy that is optimal from all of these states.

    `states` are all reachable ones, in any order; `costs` their exact costs-to-go, which count
    only where a state is not lost. None if a run of the policy fails or is too dear, or if the
    kind of policy or objective is not certified: the checker would refuse it.
    """
    task, objective = bench.task, bench.objective.spec
    if objective not in OBJECTIVES:
        return None
    order = np.lexsort(states.T[::-1])
    states, is_lost, costs = states[order], is_lost[order], costs[order]
    acts = ~(is_lost | task.is_goal(states))
    runs = bench.runs(states[acts])
    is_dear = runs.costs != costs[acts] if objective == "quantitative" else ~runs.solved
    if not runs.solved.all() or is_dear.any() or len(states) == is_lost.sum():
        return None
    columns = {
        "states": _packed(_state_planes(task, states)),
        "lost": _packed(is_lost.astype(np.uint8).tobytes()),
    }
    if objective == "quantitative":
        columns["costs"] = _numbers(costs[acts])
    if isinstance(bench.source, PolicyGraph):
        columns["actions"] = _numbers(bench.source.actions_at(runs.ids))
        columns["steps"] = _numbers(runs.steps)
    elif memory_mark(bench.source):
        columns["lengths"] = _numbers(runs.steps)
        columns["operators"] = _numbers(np.concatenate([np.empty(0, np.int64), *runs.actions()]))
    else:
        return None
    return {
        "green": VERSION,
        "task": task_part(task),
        "objective": objective,
        "policy": policy_name(bench.policy),
        "step_limit": bench.step_limit,
        "states": len(states),
        "with_plan": int((~is_lost).sum()),
        "columns": columns,
    }


@dataclass(frozen=True, eq=False)
class GreenAnswers:
    """The content of a certificate that the checker has accepted."""

    states: StateArray
    """All reachable ones."""
    is_lost: NDArray[np.bool_]
    costs: Counts
    """Of a best plan from each; 0 where none is said."""
    acts: NDArray[np.bool_]
    """True where the policy acts: in states that are neither goal nor lost."""
    actions: ActionArray
    """The policy's action in each of these, of a plan the first one."""
    plans: tuple[tuple[int, ...], ...] | None = None
    """The whole run from each of these, of a policy that looks at more than the state."""

    @classmethod
    def of(cls, task: Task, certificate: Mapping[str, Any]) -> GreenAnswers:
        """Read them from a certificate that the checker has accepted."""
        columns = certificate["columns"]
        states = _states_of(task, _unpacked(columns["states"]), certificate["states"])
        is_lost = np.frombuffer(_unpacked(columns["lost"]), dtype=np.uint8) > 0
        acts = ~(is_lost | task.is_goal(states))
        count, costs = int(acts.sum()), np.zeros(len(states), dtype=np.int64)
        if "costs" in columns:
            costs[acts] = _numbers_of(columns["costs"], count)
        if "actions" in columns:
            actions = _numbers_of(columns["actions"], count).astype(np.int32)
            return cls(states, is_lost, costs, acts, actions)
        lengths = _numbers_of(columns["lengths"], count)
        steps = _numbers_of(columns["operators"], int(lengths.sum()))
        parts = np.split(steps, np.cumsum(lengths)[:-1]) if count else []
        plans = tuple(tuple(part.tolist()) for part in parts)
        first = np.array([plan[0] for plan in plans], dtype=np.int32)
        return cls(states, is_lost, costs, acts, first, plans)

    @property
    def asked(self) -> StateArray:
        """The states in which the policy acts."""
        return self.states[self.acts]


def _state_planes(task: Task, states: StateArray) -> bytes:
    """Return states as the checker reads them: one plane of bytes after the other."""
    return b"".join(
        (states[:, variable] >> (8 * place)).astype(np.uint8).tobytes()
        for variable, width in enumerate(_widths(task))
        for place in reversed(range(width))
    )


def _states_of(task: Task, content: bytes, count: int) -> StateArray:
    planes = np.frombuffer(content, dtype=np.uint8).reshape(-1, count)
    states = np.zeros((count, task.num_variables), dtype=np.uint16)
    owners = [variable for variable, width in enumerate(_widths(task)) for _ in range(width)]
    for variable, plane in zip(owners, planes, strict=True):
        states[:, variable] = states[:, variable] << 8 | plane
    return states


def _widths(task: Task) -> Sequence[int]:
    return [1 if size <= 256 else 2 for size in task.domain_sizes.tolist()]


def _numbers(numbers: NDArray[Any]) -> str:
    """Return a column, each number in as few bytes as the largest one needs."""
    width = (int(numbers.max(initial=1)).bit_length() + 7) // 8
    block = numbers.astype(">u8").view(np.uint8).reshape(-1, 8)[:, 8 - width :]
    return _packed(block.T.tobytes())


def _numbers_of(text: str, count: int) -> Counts:
    planes = np.frombuffer(_unpacked(text), dtype=np.uint8).reshape(-1, max(count, 1))
    numbers = np.zeros(count, dtype=np.int64)
    for plane in planes if count else ():
        numbers = numbers << 8 | plane
    return numbers


def _packed(content: bytes) -> str:
    return base64.b64encode(zlib.compress(content)).decode("ascii")


def _unpacked(text: str) -> bytes:
    return zlib.decompress(base64.b64decode(text))
