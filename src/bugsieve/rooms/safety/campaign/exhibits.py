"""Exhibits of reports on safety testing: the unsafe run, and one with the proof's actions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bugsieve.base.wording import counted
from bugsieve.campaigns.exhibits import Exhibit, Panel, TablePanel, Track
from bugsieve.rooms.jani.model.model import JaniModel
from bugsieve.rooms.safety.bugs.bug import PlainState
from bugsieve.rooms.safety.campaign.explanation import (
    SafetyExplanation,
    outcomes_of,
    reasons,
    witnesses,
)
from bugsieve.rooms.safety.campaign.summary import SafetySummary
from bugsieve.rooms.safety.oracles.decide import Safety
from bugsieve.rooms.safety.store.export import SAFETY_NAMES
from bugsieve.rooms.safety.store.records import SafetyRecords

COMMANDS = {
    "explain": "the run step by step, and what is safe",
    "replay": "ask the policy again whether it is still so",
}
_WORDS = {SAFETY_NAMES[Safety.LOST]: "lost"}
"""Words for people where records have others: `unsafe` is a state with danger itself."""
_LONGEST_SAFE = 100
"""Steps of the safe run that are shown."""


class SafetyExhibits:
    """The bugs of a campaign as runs, and its counts as tables."""

    def __init__(self, records: SafetyRecords) -> None:
        self.records = records

    def exhibit(self, bug: str) -> Exhibit:
        """The unsafe run, and a safe one with the same beginning."""
        (row,) = self.records.named([bug])
        (witness,) = witnesses(self.records, [row])
        found = witness.explained()
        kind = "a decision that leaves safety" if row.bug.kind == "fault" else "danger in reach"
        proof = "proven on the model, and checked for this page"
        return Exhibit(
            (f"{row.bug.kind}: {kind}", *reasons(found), proof),
            (self._unsafe(found), self._safe(found)),
            COMMANDS,
        )

    def panels(self, summary: SafetySummary) -> Sequence[Panel]:
        """Walks by their ends, and what oracles say of unsafe runs."""
        return tuple(_panels(summary))

    def _unsafe(self, found: SafetyExplanation) -> Track:
        faults = found.faults - {found.row.position}
        notes = [
            f"{safety}; another fault" if place in faults else safety
            for place, safety in enumerate(_words(found)[:-1])
        ]
        is_fault = found.row.bug.kind == "fault"
        mark = "the fault" if is_fault else "where danger was avoidable"
        return Track(
            "the policy",
            found.choices,
            found.model,
            found.states,
            [*notes, "danger"],
            "danger",
            found.row.position,
            f"step {found.row.position + 1}, {mark}",
        )

    def _safe(self, found: SafetyExplanation) -> Track:
        """One of the runs by the actions that the proof names: the first outcome of each."""
        position = found.row.position
        states, actions = found.states[: position + 1], found.choices[:position]
        table = {tuple(state): action for state, action in found.row.bug.alternative}
        seen = {tuple(states[-1]): len(states) - 1}
        loop, ending = None, "as long as one likes"
        for _ in range(_LONGEST_SAFE):
            action = table.get(tuple(states[-1]))
            if action is None:
                ending = "ends without danger"
                break
            after = _outcome(found.model, states[-1], action)
            if after is None:
                ending = "ends without danger"
                break
            states.append(after)
            actions.append(found.actions[action])
            if tuple(after) in seen:
                loop, ending = seen[tuple(after)], "safe for ever"
                break
            seen[tuple(after)] = len(states) - 1
        return Track(
            "a safe run",
            actions,
            found.model,
            states,
            [*_words(found)[:position], *["safe"] * (len(states) - position)],
            ending,
            position,
            f"step {position + 1}, the safe action",
            loop,
        )


def _words(found: SafetyExplanation) -> list[str]:
    """The oracle's verdict on each state of the run."""
    return [_WORDS.get(safety, safety) for safety in found.safety]


def _outcome(model: JaniModel, state: PlainState, action: int) -> PlainState | None:
    """The first one; None where the run ends, at a goal or since no action is applicable."""
    try:
        return outcomes_of(model, state, action)[0]
    except (ValueError, IndexError):  # no such action there
        return None


def _panels(summary: SafetySummary) -> Iterator[Panel]:
    rows = [*summary.outcomes.items()]
    steps = f"{counted(summary.walks, 'walk')} with {counted(summary.steps, 'step')}"
    yield TablePanel("Walks", ["ended by", "walks"], rows, steps)
    columns = ["oracle", "with a fault", "could not be avoided", "inconclusive"]
    judged = [
        (spec, counts.with_fault, counts.unavoidable, counts.inconclusive)
        for spec, counts in summary.oracles.items()
    ]
    yield TablePanel("Oracles", columns, judged, "what each says of the unsafe runs")
