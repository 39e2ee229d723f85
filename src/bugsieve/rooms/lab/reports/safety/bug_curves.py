"""Bugs over the running time of safety campaigns, and the panels they are drawn in."""

from __future__ import annotations

from collections.abc import Sequence

from bugsieve.rooms.lab.reports.curves import BugCurve, CurveKind, curves_of
from bugsieve.rooms.lab.reports.safety.cards import SafetyCard
from bugsieve.rooms.safety.bugs.bug import AVOIDABLE, FAULT
from bugsieve.rooms.safety.store.records import SafetyRecords

_TITLES = {
    FAULT: "Faults: decisions of the policy that leave safety",
    AVOIDABLE: "Avoidable: safe states from which the policy gets into danger, fault not proven",
}


def safety_curves(cards: Sequence[SafetyCard], by: Sequence[str] = ()) -> list[BugCurve]:
    """The curves of safety campaigns; see `curves_of`."""
    return curves_of(SAFETY_CURVES, cards, by)


def safety_titles(found: Sequence[BugCurve]) -> dict[str, str]:
    """Faults have a panel even if there are none."""
    present = {FAULT, *(kind for curve in found for kind in curve.bugs)}
    return {kind: title for kind, title in _TITLES.items() if kind in present}


def _word(card: SafetyCard, key: str) -> str:
    depth, _, choice = card.fuzzer.partition(" ")
    wordings = {"seed": f"seed {card.seed}", "fuzzer": f"{choice}, lookahead {depth}"}
    return wordings.get(key, str(getattr(card, key)))


def _bugs(card: SafetyCard) -> tuple[float, list[tuple[str, float]]]:
    with SafetyRecords(card.folder) as records:
        return records.progress().seconds, records.bug_times()


SAFETY_CURVES = CurveKind(
    ("model", "policy", "oracle", "fuzzer", "seed"),
    ("fuzzer",),
    ("seed", "model"),
    _word,
    _bugs,
    apart=("oracle",),
)
