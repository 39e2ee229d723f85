"""How a cost bug is explained: the policy's run beside a better one, the culprit marked."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import zip_longest
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bugsieve.basis.activity import doing
from bugsieve.basis.errors import BugsieveError
from bugsieve.basis.wording import printable
from bugsieve.cli.bug_arguments import find_bug

if TYPE_CHECKING:
    from bugsieve.benches.bench import Bench
    from bugsieve.faults.blame import Blame
    from bugsieve.faults.regret import Suspect
    from bugsieve.judging.findings import CostBugRow
    from bugsieve.results.cost.records import CostRecords
    from bugsieve.tasks.fdr.task import Task


@dataclass(frozen=True)
class CostExplanation:
    """A bug and the decision that is to blame for it."""

    row: CostBugRow
    policy: str
    bench: Bench
    blame: Blame
    kept: bool
    """Whether the blame was kept with the bug."""
    proven: str | None
    """A decision that is bad by itself, in words."""
    trace: str

    @property
    def certificate(self) -> Mapping[str, Any]:
        """The proof."""
        return self.row.bug.certificate

    @property
    def task(self) -> Task:
        """The task of the campaign."""
        return self.bench.task


def explanation_of(folder: Path, name: str, expansions: int) -> CostExplanation:
    """Everything about the bug of this id, or of the only one that begins so."""
    import numpy as np

    from bugsieve.campaigns.cost.bench import judged_bench
    from bugsieve.checkers.cost import check
    from bugsieve.faults.bad_decision import bad_by_itself
    from bugsieve.results.cost.records import CostRecords
    from bugsieve.results.proofs import proof_of

    with CostRecords(folder) as records:
        row: Any = find_bug(records, name)
        header, trace = records.header, records.trace(row.case)
        note = _note(records, row.id)
    bench = judged_bench(folder, header)
    with doing(f"checking the certificate of {row.id}"), proof_of(row.id, folder):
        check(bench.task.to_sas(), row.bug.certificate)
    found, kept = _blamed(folder, bench, row, note, expansions)
    with doing("looking for a decision that is bad by itself"):
        state = np.array(row.bug.certificate["state"], dtype=np.uint16)
        proven = bad_by_itself(bench, state, found)
    return CostExplanation(row, header.policy, bench, found, kept, proven, trace)


def _note(records: CostRecords, bug: str) -> Any:
    """What was kept of the blame, if anything that can be read."""
    from bugsieve.faults.keeping import NAME

    try:
        return records.notes(bug).get(NAME)
    except BugsieveError:
        return None


def _blamed(
    folder: Path, bench: Bench, row: CostBugRow, note: Any, expansions: int
) -> tuple[Blame, bool]:
    """The blame and whether it was kept with the bug; else it is found anew, and kept."""
    from bugsieve.faults.blame import blame
    from bugsieve.faults.keeping import blame_of_note, note_of
    from bugsieve.search import Limits

    limits, certificate = Limits(expansions, None, 1 << 30), row.bug.certificate
    known = blame_of_note(note, bench, certificate, limits)
    if known is not None:
        return known, True
    with doing(f"looking for the decision to blame for {row.id}"):
        found = blame(bench, certificate, limits=limits)
    _keep(folder, row.id, note_of(found, certificate, limits))
    return found, False


def _keep(folder: Path, bug: str, note: Any) -> None:
    """Keep a note with the bug, where the folder can be written and nobody is writing to it."""
    from bugsieve.faults.keeping import NAME
    from bugsieve.results.cost.store import CostStore

    with suppress(BugsieveError, OSError), CostStore.open(folder, patience=0.0) as store:
        store.note(bug, NAME, note)


def explanation_text(explained: CostExplanation) -> str:
    """The explanation for people."""
    row, task, found = explained.row, explained.task, explained.blame
    run = explained.certificate["run"]
    facts = sorted(task.facts(found.state) - task.static_facts)
    ours = [*_actions(task, found.run), f"[{run['ending']}]"]
    theirs = [*_actions(task, found.better_run), "[goal]"]
    return "\n".join(
        [
            f"bug {row.id} ({row.bug.kind}) of {explained.policy} on {task.title}",
            f"the policy: {row.bug.in_words}",
            *_other_cost(row, found),
            *(["one of its runs:"] if "chances" in run else []),
            *explained.bench.objective.explained(explained.certificate),
            *([f"{run['ending']}: {run['detail']}"] if run["detail"] else []),
            "",
            *_side_by_side(ours, theirs, found.index),
            "",
            *_verdict(found),
            *(["(kept from an earlier call: other --expansions search anew)"] * explained.kept),
            *([explained.proven] if explained.proven else []),
            "the state there: " + " ".join(facts),
            *_differences(task, found),
            _goal_line(task, row),
            *(["", *map(printable, explained.trace.splitlines())] if explained.trace else []),
        ]
    )


def _other_cost(row: CostBugRow, found: Blame) -> list[str]:
    """Why the better run costs something else than the plan that proves the bug."""
    cost, known = found.plan_cost, row.bug.certificate["plan"]["cost"]
    if cost < known:
        return [f"the better run below costs {cost}: a cheaper plan has been found since"]
    if cost > known:
        way = f"the policy's way up to step {found.index + 1}"
        return [f"the better run below costs {cost}: it goes {way}, and a best way from there"]
    return []


def _verdict(found: Blame) -> list[str]:
    """Who is to blame, how sure that is, and who else may be."""
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


def _open_goals(task: Task, row: CostBugRow) -> list[str]:
    """The goals that do not hold at the end of the policy's run."""
    import numpy as np

    from bugsieve.benches.objectives.objective import path_states

    certificate = row.bug.certificate
    start = np.array(certificate["state"], dtype=np.uint16)
    end = path_states(task, start, tuple(certificate["run"]["operators"]))[-1]
    pairs = zip(task.goal, task.goal_facts, strict=True)
    return [fact for (variable, value), fact in pairs if end[variable] != value]


def _goal_line(task: Task, row: CostBugRow) -> str:
    goals, left = task.goal_facts, _open_goals(task, row)
    if not left:
        return f"the goal, reached at the end of the policy's run: {' '.join(goals)}"
    done = [fact for fact in goals if fact not in left]
    line = f"the goal, open at the end of the policy's run: {' '.join(left)}"
    return line + (f"; reached: {' '.join(done)}" if done else "")


def _side_by_side(ours: Sequence[str], theirs: Sequence[str], marked: int) -> list[str]:
    """Two columns of numbered steps; the marked one has an arrow."""
    width = max(len("the policy"), *map(len, ours))
    digits = len(str(max(len(ours), len(theirs))))
    lines = [f"{'':{digits + 5}}{'the policy':{width}}   a better run"]
    for number, (left, right) in enumerate(zip_longest(ours, theirs, fillvalue="")):
        arrow = "->" if number == marked else "  "
        same = "=" if left == right and number < marked else " "
        lines.append(f"{arrow} {number + 1:>{digits}}. {left:{width}} {same} {right}".rstrip())
    return lines


def _actions(task: Task, operators: Sequence[int]) -> list[str]:
    return [task.operator_names[operator] for operator in operators]


def explanation_json(explained: CostExplanation) -> str:
    """The explanation for programs."""
    row, task, found = explained.row, explained.task, explained.blame
    is_one = found.is_one_decision
    action = found.action if is_one else None
    report: dict[str, Any] = {
        "id": row.id,
        "kind": row.bug.kind,
        "step": found.index if is_one else None,
        "sure": found.sure,
        "sentence": found.sentence,
        "facts": sorted(task.facts(found.state)) if is_one else None,
        "action": None if action is None else task.operator_names[action],
        "better_action": task.operator_names[found.better] if is_one else None,
        "run": _actions(task, found.run),
        "better_run": _actions(task, found.better_run),
        "ending": row.bug.certificate["run"]["ending"],
        "detail": row.bug.certificate["run"]["detail"] or None,
        "trace": explained.trace or None,
        "cost": row.bug.certificate["run"]["cost"],
        "possible_cost": found.plan_cost,
        "known_cost": row.bug.certificate["plan"]["cost"],
        "regrets": [
            {"step": one.index, "regret": None if one.regret == inf else one.regret}
            for one in found.suspects
        ],
        "goal": list(task.goal_facts),
        "open_goals": _open_goals(task, row),
        "dominance": explained.proven,
        "kept": explained.kept,
    }
    if "chances" in row.bug.certificate["run"]:
        report["probability"] = row.bug.certificate["policy_value"]
    if "rules" in row.bug.certificate["run"]:
        report["rules"] = row.bug.certificate["run"]["rules"]
    return json.dumps(report, indent=2)
