"""Sentences of the grid whose parts are the atoms p, c, s, q and r."""

from __future__ import annotations

from collections.abc import Iterator

from bugsieve.rooms.rules.english.grid import (
    CONDITIONS,
    SCOPE_PARTS,
    SCOPES,
    TIMINGS,
    TIMINGS_WITH_STEPS,
    TIMINGS_WITH_STOP,
    ConditionKind,
    ScopeKind,
    Sentence,
    TimingKind,
)
from bugsieve.rooms.rules.ltl.formula import atom


def cell(
    scope: ScopeKind, condition: ConditionKind, timing: TimingKind, *, steps: int = 2
) -> Sentence:
    return Sentence(
        atom("p"),
        timing,
        stop=atom("s") if timing in TIMINGS_WITH_STOP else None,
        steps=steps if timing in TIMINGS_WITH_STEPS else 0,
        condition=condition,
        trigger=None if condition == "none" else atom("c"),
        scope=scope,
        bounds=(atom("q"), atom("r"))[: SCOPE_PARTS[scope]],
    )


def cells() -> Iterator[Sentence]:
    for scope in SCOPES:
        for condition in CONDITIONS:
            for timing in TIMINGS:
                yield cell(scope, condition, timing)
