"""Explanations of safety bugs: the run step by step, the fault marked, and what is safe.

The command `explain` prints it, and so does a bug in Python.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from bugsieve.base.wording import counted
from bugsieve.campaigns.accounts import Account
from bugsieve.campaigns.named_bugs import find_bug
from bugsieve.campaigns.store.checked_certificates import proof_of
from bugsieve.campaigns.store.schema import damaged
from bugsieve.pictures.strips import SvgFile, run_strip, strips_file
from bugsieve.rooms.jani.model.model import JaniModel
from bugsieve.rooms.jani.model.state_wording import changes_text, values_text
from bugsieve.rooms.jani.policies.runs import UnsafeRun
from bugsieve.rooms.safety.bugs.bug import PlainState, plain_states
from bugsieve.rooms.safety.campaign.policy import saved_model
from bugsieve.rooms.safety.checker.safety import COMPLAINTS, SafetyBugChecker
from bugsieve.rooms.safety.oracles.analysis import RunVerdict
from bugsieve.rooms.safety.oracles.decide import Safety
from bugsieve.rooms.safety.store.export import SAFETY_NAMES
from bugsieve.rooms.safety.store.records import SafetyRecords
from bugsieve.rooms.safety.walks.run_examiner import SafetyBugRow

_BEFORE, _AFTER = 10, 30
"""Steps shown before the bug's state and after it; the last one is always shown."""
_MOST_OUTCOMES = 3
"""Outcomes of the safe action that are drawn."""


@dataclass(frozen=True)
class SafetyExplanation:
    """A bug with the whole run in which it was found."""

    row: SafetyBugRow
    policy: str
    model: JaniModel
    variables: tuple[str, ...]
    actions: tuple[str, ...]
    """Names, by number."""
    states: list[list[Any]]
    choices: list[str]
    safety: list[str]
    """The verdict of the bug's oracle on each state."""
    faults: frozenset[int]
    """Positions of all faults of the run."""
    alternatives: list[list[Any]]
    """The states that the safe action may lead to from the bug's state."""

    @property
    def certificate(self) -> Mapping[str, Any]:
        """The proof."""
        return self.row.bug.certificate


@dataclass(frozen=True)
class SafetyWitness:
    """Stored data on a bug beside its certificate; enough to explain it without the store."""

    folder: Path
    """The campaign, which need not be there any more."""
    row: SafetyBugRow
    policy: str
    model: JaniModel
    run: UnsafeRun
    """The whole run in which it was found."""
    verdict: RunVerdict
    """The verdict of its oracle on that run."""

    def explained(self) -> SafetyExplanation:
        """The explanation of the bug; InputError if its certificate does not hold."""
        model, row, actions = self.model, self.row, self.model.actions
        with proof_of(row.id, self.folder, *COMPLAINTS):
            SafetyBugChecker(model.document).check(row.bug.certificate)
        return SafetyExplanation(
            row,
            self.policy,
            model,
            tuple(variable.name for variable in model.variables),
            actions,
            plain_states(model, self.run.states),
            [actions[action] for action in self.run.actions],
            _words_of(self.verdict),
            frozenset(self.verdict.faults),
            outcomes_of(model, row.bug.state, row.safe_action),
        )

    def account(self, expansions: int) -> Account:
        """The explanation in all forms; nothing has to be searched for."""
        found = self.explained()
        return Account(
            partial(explanation_text, found),
            partial(explanation_json, found),
            partial(_drawing, found),
        )


def _words_of(verdict: RunVerdict) -> list[str]:
    """An oracle's words for the states of an unsafe run, of which the last one is danger.

    People read `lost` where records have `unsafe`.
    """
    names = {**SAFETY_NAMES, Safety.LOST: "lost"}
    return [*(names[Safety(code)] for code in verdict.safety.tolist()[:-1]), "unsafe"]


def outcomes_of(model: JaniModel, state: PlainState, action: int) -> list[PlainState]:
    """The states that an applicable action may lead to."""
    expansion = model.expand([model.state(state)])
    place = expansion.actions.tolist().index(action)
    begin, end = expansion.outcome_offsets[place : place + 2]
    return plain_states(model, model.pack(expansion.outcomes[begin:end]))


def witnesses(records: SafetyRecords, rows: Iterable[SafetyBugRow]) -> Iterator[SafetyWitness]:
    """The witnesses of these bugs in the records."""
    model, policy = saved_model(records.directory, records.header), records.header.policy
    verdicts: dict[str, dict[int, RunVerdict]] = {}
    for row in rows:
        oracle = row.bug.oracle
        if oracle not in verdicts:
            verdicts[oracle] = records.verdicts(oracle)
        verdict = verdicts[oracle].get(row.walk)
        if verdict is None:
            raise damaged(records.directory, f"table verdicts: none on walk {row.walk}")
        run = records.run(row.walk)
        yield SafetyWitness(records.directory, row, policy, model, run, verdict)


def witness_of(folder: Path, name: str) -> SafetyWitness:
    """The witness in the store for the bug of this id, or for the only one that begins so."""
    with SafetyRecords(folder) as records:
        row: Any = find_bug(records, name)
        (witness,) = witnesses(records, [row])
    return witness


def explanation_text(found: SafetyExplanation) -> str:
    """For people."""
    row, certificate = found.row, found.certificate
    kind = "a decision that leaves safety" if row.bug.kind == "fault" else "danger was avoidable"
    lines = [
        f"bug {row.id} ({row.bug.kind}: {kind}) of {found.policy} "
        f"on {certificate['model']['name']}",
        f"found in walk {row.walk}: danger after {counted(len(found.choices), 'step')}",
        "",
        f"start: {values_text(found.variables, found.states[0])}",
        *_steps(found),
        "",
        f"the state before step {row.position + 1}: {values_text(found.variables, row.bug.state)}",
        *reasons(found),
    ]
    return "\n".join(lines)


def _steps(found: SafetyExplanation) -> Iterator[str]:
    """The steps around the bug's state; an arrow marks its own, a star other faults."""
    digits = len(str(len(found.choices)))
    width = max(map(len, found.choices))
    position, last = found.row.position, len(found.choices) - 1
    previous = -1
    for number, choice in enumerate(found.choices):
        if not (position - _BEFORE <= number <= position + _AFTER or number == last):
            continue
        if number != previous + 1:
            yield f"     … {counted(number - previous - 1, 'step')} …"
        previous = number
        mark = "->" if number == position else " *" if number in found.faults else "  "
        change = changes_text(found.variables, found.states[number], found.states[number + 1])
        ending = "  [danger]" if number == last else ""
        yield f"{mark} {number + 1:>{digits}}. {choice:{width}}  {change}{ending}"


def reasons(found: SafetyExplanation) -> Iterator[str]:
    """The reasons why the decision is wrong, and the safe decision."""
    row, certificate = found.row, found.certificate
    variables, state = found.variables, row.bug.state
    within = "" if row.bug.radius is None else f" within {counted(row.bug.radius, 'divergence')}"
    if row.bug.kind == "fault":
        change = changes_text(variables, state, certificate["outcome"])
        lost = f"from there danger cannot be avoided{within} ({_size(certificate['unsafe'])})"
        yield (
            f"the policy does {certificate['action_name']}, which may lead to {change}: "
            f"{lost if certificate['unsafe'] else 'that is danger'}"
        )
    else:
        yield f"the policy does {certificate['action_name']}, and meets danger"
    outcomes = "; ".join(changes_text(variables, state, after) for after in found.alternatives)
    yield (
        f"safe is {found.actions[row.safe_action]} ({outcomes}): danger can be avoided{within} "
        f"from there on ({_size(certificate['safe'])})"
    )


def _size(rows: Sequence[Any]) -> str:
    return f"{counted(len(rows), 'state')} in the proof"


def explanation_json(found: SafetyExplanation) -> str:
    """For programs."""
    row, certificate = found.row, found.certificate
    report = {
        "id": row.id,
        "kind": row.bug.kind,
        "oracle": row.bug.oracle,
        "radius": row.bug.radius,
        "walk": row.walk,
        "step": row.position,
        "state": _named(found.variables, row.bug.state),
        "action": certificate["action_name"],
        "outcome": None
        if row.bug.kind != "fault"
        else _named(found.variables, certificate["outcome"]),
        "safe_action": found.actions[row.safe_action],
        "safe_outcomes": [_named(found.variables, after) for after in found.alternatives],
        "safe_rows": len(certificate["safe"]),
        "unsafe_rows": len(certificate.get("unsafe", ())),
        "faults": sorted(found.faults),
        "run": {
            "states": [_named(found.variables, state) for state in found.states],
            "actions": found.choices,
            "safety": found.safety,
        },
    }
    return json.dumps(report, indent=2, allow_nan=False)


def _named(variables: Sequence[str], state: Sequence[Any]) -> dict[str, Any]:
    return dict(zip(variables, state, strict=True))


def _drawing(found: SafetyExplanation, picture: str | None) -> SvgFile:
    """The run into danger, and below it what is safe in place of the decision."""
    model, place = found.model, found.row.position
    outcomes = found.alternatives[:_MOST_OUTCOMES]
    run = [model.state(state) for state in found.states]
    start = model.state(found.row.bug.state)
    safe_runs = [[start, model.state(after)] for after in outcomes]
    ours = run_strip(
        f"the policy {found.policy}",
        model,
        run,
        [*found.choices, "[danger]"],
        focus=place,
        picture=picture,
        beside=safe_runs,
    )
    safe = found.actions[found.row.safe_action]
    theirs = [
        run_strip(
            f"what is safe there: {safe}, outcome {number} of {len(found.alternatives)}",
            model,
            states,
            [safe, "[danger can be avoided from here on]"],
            earlier=place,
            picture=picture,
            beside=[run, *safe_runs],
        )
        for number, states in enumerate(safe_runs, start=1)
    ]
    title = f"bug {found.row.id} of {found.policy} on {model.name}"
    return strips_file([ours, *theirs], title=title)
