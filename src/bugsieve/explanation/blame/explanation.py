"""Explains a cost bug: the policy's run beside a better one, the culprit marked.

The command `explain` prints it, and so does a bug in Python.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from math import inf
from typing import Any

import numpy as np

from bugsieve.base.current_activity import doing
from bugsieve.base.registry import families
from bugsieve.base.registry.members import MemberTable
from bugsieve.base.wording import printable
from bugsieve.explanation.blame.blame import Blame
from bugsieve.explanation.blame.regret import Suspect
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.bugs.bug import Bug
from bugsieve.pipeline.objectives.objective import path_states
from bugsieve.tasks.grounded.task import StateArray, Task

DECISION_HINTS: MemberTable[Callable[[Bench, StateArray, Blame], str | None]] = MemberTable(
    families.DECISION_HINTS
)
"""They name a decision of a bug's run that is bad by itself, in words, if they know one."""


@dataclass(frozen=True)
class Explanation:
    """A bug and the decision that is to blame for it."""

    bug: Bug
    bench: Bench
    blame: Blame
    proven: str | None
    """A decision that is bad by itself, in words."""
    policy: str
    """The policy as its user calls it."""
    kept: bool
    """True if the blame was kept with the bug."""
    trace: str

    @property
    def certificate(self) -> Mapping[str, Any]:
        """The proof."""
        return self.bug.certificate

    @property
    def task(self) -> Task:
        """The task of the bug."""
        return self.bench.task


def explained(
    bench: Bench,
    bug: Bug,
    found: Blame,
    *,
    policy: str | None = None,
    kept: bool = False,
    trace: str = "",
) -> Explanation:
    """The explanation of a bug whose decision to blame is known."""
    with doing("looking for a decision that is bad by itself"):
        state = np.array(bug.certificate["state"], dtype=np.uint16)
        hints = (hint(bench, state, found) for hint in DECISION_HINTS.values())
        proven = next(filter(None, hints), None)
    name = bug.certificate["policy"] if policy is None else policy
    return Explanation(bug, bench, found, proven, name, kept, trace)


def explanation_text(of: Explanation) -> str:
    """The explanation for people."""
    bug, task, found = of.bug, of.task, of.blame
    run = of.certificate["run"]
    facts = sorted(task.facts(found.state) - task.static_facts)
    ours = [*_actions(task, found.run), f"[{run['ending']}]"]
    theirs = [*_actions(task, found.better_run), "[goal]"]
    return "\n".join(
        [
            f"bug {bug.id} ({bug.kind}) of {of.policy} on {task.title}",
            f"the policy: {bug.in_words}",
            *other_cost_lines(bug, found),
            *(["one of its runs:"] if "chances" in run else []),
            *of.bench.objective.explained(of.certificate),
            *([f"{run['ending']}: {run['detail']}"] if run["detail"] else []),
            "",
            *_side_by_side(ours, theirs, found.index),
            "",
            *blame_lines(found),
            *(["(kept from an earlier call: other --expansions search anew)"] * of.kept),
            *([of.proven] if of.proven else []),
            "the state there: " + " ".join(facts),
            *_differences(task, found),
            goal_line(task, bug),
            *(["", *map(printable, of.trace.splitlines())] if of.trace else []),
        ]
    )


def other_cost_lines(bug: Bug, found: Blame) -> list[str]:
    """The reason why the better run has another cost than the plan that proves the bug."""
    cost, known = found.plan_cost, bug.certificate["plan"]["cost"]
    if cost < known:
        return [f"the better run below costs {cost}: a cheaper plan has been found since"]
    if cost > known:
        way = f"the policy's way before step {found.index + 1}"
        return [f"the better run below costs {cost}: it goes {way}, and a better one from there"]
    return []


def blame_lines(found: Blame) -> list[str]:
    """The decision to blame, how sure that is, and other suspects."""
    if not found.is_one_decision:
        return [f"{found.sentence} (from step {found.index + 1} on)"]
    lines = [f"step {found.index + 1} is to blame ({found.sure}): {found.sentence}"]
    if found.sure == "bound":
        lines.append("more --expansions would make this surer")
    if len(found.named) > 1 or found.sure == "bound":
        lines += ["largest regrets: " + ", ".join(map(_regret, found.suspects))]
    return lines if found.suspects else lines[:2]


def _regret(suspect: Suspect) -> str:
    loss = "no way to the goal known after it" if suspect.regret == inf else suspect.regret
    more = loss if isinstance(loss, str) else f"{loss:g} more"
    return f"step {suspect.index + 1} ({more})"


def _differences(task: Task, found: Blame) -> list[str]:
    """The facts that hold after the policy's action and not after the better one, and so on."""
    ours, theirs = (_facts_after(task, found, action) for action in (found.action, found.better))
    parts = (("the policy's action", ours - theirs), ("the better one", theirs - ours))
    return [f"only after {who}: {' '.join(sorted(facts))}" for who, facts in parts if facts]


def _facts_after(task: Task, found: Blame, action: int | None) -> frozenset[str]:
    state = found.state[None]
    if action is not None and task.is_applicable(state, [action])[0]:
        state = task.successors(state, [action])
    return task.facts(state[0])


def _open_goals(task: Task, bug: Bug) -> list[str]:
    """The goals that do not hold at the end of the policy's run."""
    certificate = bug.certificate
    start = np.array(certificate["state"], dtype=np.uint16)
    end = path_states(task, start, tuple(certificate["run"]["operators"]))[-1]
    pairs = zip(task.goal, task.goal_facts, strict=True)
    return [fact for (variable, value), fact in pairs if end[variable] != value]


def goal_line(task: Task, bug: Bug) -> str:
    """The goals that are open at the end of the policy's run, and those that are reached."""
    goals, left = task.goal_facts, _open_goals(task, bug)
    if not left:
        return f"the goal, reached at the end of the policy's run: {' '.join(goals)}"
    done = [fact for fact in goals if fact not in left]
    line = f"the goal, open at the end of the policy's run: {' '.join(left)}"
    return line + (f"; reached: {' '.join(done)}" if done else "")


def _side_by_side(ours: Sequence[str], theirs: Sequence[str], marked: int) -> list[str]:
    """Two columns of numbered steps; the marked one has an arrow. The last line has no step."""
    width = max(len("the policy"), *map(len, ours))
    last = max(len(ours), len(theirs)) - 1
    digits = len(str(last + 1))
    lines = [f"{'':{digits + 5}}{'the policy':{width}}   a better run"]
    for number, (left, right) in enumerate(zip_longest(ours, theirs, fillvalue="")):
        arrow = "->" if number == marked else "  "
        same = "=" if left == right and number < marked else " "
        name = f"{number + 1}." if number < last or number == marked else ""
        lines.append(f"{arrow} {name:>{digits + 1}} {left:{width}} {same} {right}".rstrip())
    return lines


def _actions(task: Task, operators: Sequence[int]) -> list[str]:
    return [task.operator_names[operator] for operator in operators]


def explanation_json(of: Explanation) -> str:
    """The explanation for programs."""
    bug, task, found = of.bug, of.task, of.blame
    is_one = found.is_one_decision
    action = found.action if is_one else None
    report: dict[str, Any] = {
        "id": bug.id,
        "kind": bug.kind,
        "step": found.index if is_one else None,
        "sure": found.sure,
        "sentence": found.sentence,
        "facts": sorted(task.facts(found.state)) if is_one else None,
        "action": None if action is None else task.operator_names[action],
        "better_action": task.operator_names[found.better] if is_one else None,
        "run": _actions(task, found.run),
        "better_run": _actions(task, found.better_run),
        "ending": bug.certificate["run"]["ending"],
        "detail": bug.certificate["run"]["detail"] or None,
        "trace": of.trace or None,
        "cost": bug.certificate["run"]["cost"],
        "possible_cost": found.plan_cost,
        "known_cost": bug.certificate["plan"]["cost"],
        "regrets": [
            {"step": one.index, "regret": None if one.regret == inf else one.regret}
            for one in found.suspects
        ],
        "goal": list(task.goal_facts),
        "open_goals": _open_goals(task, bug),
        "dominance": of.proven,
        "kept": of.kept,
    }
    if "chances" in bug.certificate["run"]:
        report["probability"] = bug.certificate["policy_value"]
    if "rules" in bug.certificate["run"]:
        report["rules"] = bug.certificate["run"]["rules"]
    return json.dumps(report, indent=2)
