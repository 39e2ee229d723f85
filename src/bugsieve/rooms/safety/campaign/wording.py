"""The wording of safety testing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bugsieve.base.commands import command_line
from bugsieve.base.wording import counted
from bugsieve.campaigns.events import RoundDone
from bugsieve.campaigns.measured import figure_lines, measured_lines
from bugsieve.campaigns.store.progress import CampaignHeader
from bugsieve.campaigns.wording import bug_lines, check_lines, kinds_text
from bugsieve.rooms.jani.model.state_wording import changes_text, telling_text
from bugsieve.rooms.safety.campaign.identical_walks import Sameness, sameness_of
from bugsieve.rooms.safety.campaign.options import SafetyOptions
from bugsieve.rooms.safety.campaign.summary import RunCounts, SafetyProof, SafetySummary
from bugsieve.rooms.safety.store.records import SafetyRecords
from bugsieve.rooms.safety.walks.run_examiner import SafetyBugRow

UNAVOIDABLE = "runs into a danger that nobody could have avoided are not in the share"
PROBABILITIES = "probabilities of the model are not used: what is possible at all counts"
_STATES_READ = 5


class SafetyWording:
    """The texts that commands print about safety campaigns."""

    def heading(self, header: CampaignHeader) -> str:
        """The model and the policy."""
        return f"model {header.subject.name}, policy {header.tested}"

    def first_lines(self, summary: SafetySummary) -> list[str]:
        """Remarks on parts of the model that are not used; the result of a measurement."""
        measured = summary.measured
        lines = [PROBABILITIES] if summary.has_probabilities else []
        return lines if measured is None else [*lines, *measured_lines(summary, measured)]

    def count_lines(self, summary: SafetySummary) -> list[str]:
        """The counts of a safety campaign."""
        outcomes = ", ".join(f"{count} {outcome}" for outcome, count in summary.outcomes.items())
        lines = [
            f"{counted(summary.walks, 'walk')} in {summary.seconds:.1f} s"
            + (f" ({summary.reason})" if summary.reason else "")
            + f": {outcomes or 'none finished'}",
            runs_line(summary),
            *bug_lines(summary),
        ]
        if summary.proof is not None:
            lines += proof_lines(summary.proof)
        if summary.unproven:
            reason = summary.unproven[0].reason
            lines.append(f"{counted(summary.certain, 'fault')} not proven in full: {reason}")
        lines += check_lines(summary)
        width = max(map(len, summary.oracles), default=0)
        for oracle, counts in summary.oracles.items():
            lines.append(f"  {oracle:{width}}  {oracle_text(oracle, counts, summary.runs)}")
        lines += [f"the policy: {sentence}" for sentence in summary.trouble_sentences()]
        if summary.measured is not None:
            lines += figure_lines(summary, summary.measured, UNAVOIDABLE)
        return lines

    def found(self, records: SafetyRecords) -> FoundDecisions:
        """The bugs of a campaign, those in most runs first."""
        actions = records.header.subject.actions
        return FoundDecisions(records, records.ranked(), records.bug_runs(), actions)

    def hints(self, records: SafetyRecords, summary: SafetySummary) -> list[str]:
        """The command that repairs the policy, and a remark if further walks would not help."""
        lines = []
        if summary.bugs:
            shield = command_line("shield", records.directory, "-o", "shield.json")
            lines = [f"repair:      {shield}"]
        return [*lines, *_sameness_lines(records, summary)]

    def progress(self, state: RoundDone) -> list[str]:
        """The progress of a running campaign."""
        return [
            f"walk {state.walks} of {state.limit}",
            f"{counted(state.cases, 'unsafe run')} ({state.judged} different)",
            kinds_text(state.bugs) or "no bugs",
            f"{state.per_second:.0f} walks/s",
        ]


def _sameness_lines(records: SafetyRecords, summary: SafetySummary) -> list[str]:
    same = sameness_of(records, summary)
    if same is Sameness.NONE:
        return []
    found = "gave one run"
    if same is Sameness.ALIKE:
        steps = counted(summary.steps // summary.walks, "step")
        found = f"began in one state and ended alike after {steps}"
    advice = "start in more states (another start condition or problem)"
    options = SafetyOptions.from_toml(records.header.options, name=str(records.directory))
    if options.fuzz.choice != "uniform":
        advice += ", or try --choice uniform where actions have several outcomes"
    return ["", f"hint: {summary.walks} walks {found}; to see others, {advice}"]


def runs_line(summary: SafetySummary) -> str:
    """The number of unsafe runs."""
    if not summary.runs:
        return "no unsafe runs found"
    return f"{counted(summary.runs, 'unsafe run')}, {summary.different_runs} different"


def proof_lines(proof: SafetyProof) -> list[str]:
    """The content of the certificate of a safe policy."""
    states = counted(proof.states, "state")
    lines = [f"proven: the policy can come to {states}, and none of them is unsafe"]
    if proof.ends:
        lines.append(
            f"in {proof.ends} of them its run ends since it gives no applicable action "
            "('bugsieve decide --radius 0' calls them lost)"
        )
    return lines


def oracle_text(oracle: str, counts: RunCounts, runs: int) -> str:
    """The verdicts of an oracle on the unsafe runs."""
    if not runs:
        return "nothing to judge"
    share = 100 * counts.with_fault / runs
    parts = [f"{counts.with_fault} of {counted(runs, 'unsafe run')} with a fault ({share:.0f} %)"]
    if counts.unavoidable:
        _, _, radius = oracle.partition(":")
        within = f" within {counted(int(radius), 'divergence')}" if radius else ""
        parts.append(f"{counts.unavoidable} could not be avoided{within}")
    if counts.inconclusive:
        parts.append(f"{counts.inconclusive} inconclusive")
    return ", ".join(parts)


@dataclass(frozen=True)
class FoundDecisions:
    """The bugs of a safety campaign, those in most runs first."""

    records: SafetyRecords
    ids: list[str]
    """Their names."""
    runs: Mapping[str, int]
    """In how many unsafe runs each bug occurs, by its id."""
    actions: Sequence[str]
    """Names of the model's actions."""

    def lines(self, most: int) -> list[str]:
        """The first bugs, each in two lines: where it is, and what the policy does there."""
        lines = []
        for row in self.records.named(self.ids[:most]):
            lines.append(f"{row.id}  {self._place(row)}")
            lines.append(f"    {_decision(row, self.actions[row.safe_action])}")
        return lines

    def about(self, name: str) -> str:
        """The state of the bug of this id, and the policy's action there."""
        return "".join(
            f"{self._place(row)}: {_decision(row, self.actions[row.safe_action])}"
            for row in self.records.named([name])
        )

    def _place(self, row: SafetyBugRow) -> str:
        certificate = row.bug.certificate
        state = telling_text(certificate["variables"], row.bug.state, _ahead(certificate))
        return f"{row.bug.kind} in {counted(self.runs[row.id], 'run')}, at {state}"

    def json(self) -> list[dict[str, Any]]:
        """The same for programs, without the certificates."""
        return [self._row_json(row) for row in self.records.named(self.ids)]

    def _row_json(self, row: SafetyBugRow) -> dict[str, Any]:
        certificate = row.bug.certificate
        return {
            "id": row.id,
            "kind": row.bug.kind,
            "oracle": row.bug.oracle,
            "radius": row.bug.radius,
            "runs": self.runs[row.id],
            "state": dict(zip(certificate["variables"], row.bug.state, strict=True)),
            "action": certificate["action_name"],
            "safe_action": self.actions[row.safe_action],
            "steps": row.bug.steps,
            "walk": row.walk,
            "position": row.position,
            "seconds": row.seconds,
            "cause": row.cause.id,
        }


def _ahead(certificate: Mapping[str, Any]) -> list[list[Any]]:
    """Some of the states into which the policy gets, and into which it could get instead."""
    instead = [state for state, _, _ in certificate["safe"][:_STATES_READ]]
    return [*certificate["run"]["states"][:_STATES_READ], *instead]


def _decision(row: SafetyBugRow, safe: str) -> str:
    """The policy's action in the state of a bug, its target, and what would be safe."""
    certificate = row.bug.certificate
    danger = f"danger {counted(row.bug.steps, 'step')} later"
    change = ""
    if row.bug.kind == "fault":
        outcome = certificate["outcome"]
        changes = changes_text(certificate["variables"], row.bug.state, outcome)
        change = f" ({changes}: {'lost' if certificate['unsafe'] else 'unsafe'})"
    return f"does {certificate['action_name']}{change}; {danger}; safe is {safe}"
