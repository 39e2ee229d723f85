"""Safety bugs in Python, with what belongs to them at hand, so that they can be asked things."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from bugsieve.base.notebooks import line_html
from bugsieve.campaigns.found import fields_of
from bugsieve.pictures.strips import run_strip, strips_image
from bugsieve.pipeline.bugs.cause import Cause
from bugsieve.rooms.safety.bugs.bug import SafetyBug
from bugsieve.rooms.safety.campaign.explanation import SafetyWitness, explanation_text, witnesses
from bugsieve.rooms.safety.store.records import SafetyRecords


@dataclass(frozen=True, eq=False, repr=False)
class FoundSafetyBug(SafetyBug):
    """A proven safety bug, as `find_safety_bugs` and `load_bugs` give it."""

    cause: Cause = field(kw_only=True)
    """The cause, wherever it happens; bugs with equal causes belong together."""
    witness: SafetyWitness = field(kw_only=True)
    """Its model, and the run in which it was found."""

    def explain(self) -> str:
        """The text of `bugsieve explain`: the run step by step, and what is safe in its place."""
        return explanation_text(self.witness.explained())

    def _repr_html_(self) -> str:
        """For notebooks: what is wrong, and the policy's run into danger."""
        run, model = self.certificate["run"], self.witness.model
        states = [model.state(state) for state in run["states"]]
        doings = [*run["action_names"], "[danger]"]
        strip = run_strip("the policy", model, states, doings)
        return line_html(str(self)) + strips_image([strip], title=f"bug {self.id}")


def read_safety_bugs(directory: Path) -> list[FoundSafetyBug]:
    """The bugs of a campaign, faults in most runs first."""
    with SafetyRecords(directory) as records:
        rows = records.named(records.ranked())
        return [
            FoundSafetyBug(**fields_of(seen.row.bug), cause=seen.row.cause, witness=seen)
            for seen in witnesses(records, rows)
        ]
