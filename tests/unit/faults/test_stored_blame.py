"""What is kept of a blame comes back as it was, and nothing that does not hold comes back."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bugsieve.explanation.blame.blame import Blame, blame
from bugsieve.explanation.blame.stored_blame import blame_of_note, note_of
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.bugs.certificate import certificate_of
from bugsieve.tasks.search import Limits
from tests.depth import examples
from tests.unit.bugs.samples import LONG, line_bench, make_sample, proven
from tests.unit.policies.line import at, line_task

LIMITS = Limits(expansions=500)


def example() -> tuple[Bench, dict[str, Any]]:
    """A walker who goes left where he should go on."""
    bench = line_bench(line_task(6), {1: "right", 2: "right", 3: "left"})
    state = at(1)[0]
    return bench, certificate_of(bench, state, proven(bench, state, (1, 2, 3, 4)))


def same(one: Blame, other: Blame) -> bool:
    names = ("index", "action", "better", "sure", "sentence", "run", "plan", "plan_cost")
    is_same = [getattr(one, name) == getattr(other, name) for name in (*names, "suspects")]
    return all(is_same) and one.state.tolist() == other.state.tolist()


@pytest.mark.parametrize("objective", ["quantitative", "qualitative", "avoid"])
def test_it_comes_back_as_it_was(objective: str) -> None:
    seen = 0
    for seed in range(examples(60)):
        sample = make_sample(seed, shape=LONG, objective=objective)
        for state, verdict in sample.bugs():
            certificate = certificate_of(sample.bench, state, verdict)
            found = blame(sample.bench, certificate, limits=LIMITS)
            note = json.loads(json.dumps(note_of(found, certificate, LIMITS)))
            again = blame_of_note(note, sample.bench, certificate, LIMITS)
            assert again is not None and same(again, found)
            seen += 1
    assert seen >= examples(25, quick=5)


def changed(name: str, value: Any) -> Callable[[dict[str, Any]], Any]:
    return lambda note: {**note, name: value}


@pytest.mark.parametrize(
    "change",
    [
        lambda note: None,
        lambda note: [note],
        lambda note: {},
        changed("version", 1),
        changed("of", "0" * 64),
        changed("expansions", 501),
        changed("index", -1),
        changed("index", 99),
        changed("index", 1),
        changed("index", "2"),
        changed("sure", "quite"),
        changed("run", [0]),
        changed("run", [10**12]),
        changed("plan", []),
        changed("plan", [3]),
        changed("plan", [10**30]),
        changed("plan", [-1]),
        changed("suspects", [[99, 1]]),
        changed("suspects", [[0, -1]]),
        changed("suspects", [[0]]),
        changed("sure", "bound"),
        changed("suspects", []),
        changed("seal", "0" * 64),
        changed("seal", "ä"),
        lambda note: {name: value for name, value in note.items() if name != "seal"},
    ],
)
def test_what_does_not_hold_counts_as_none(change: Callable[[dict[str, Any]], Any]) -> None:
    bench, certificate = example()
    note = note_of(blame(bench, certificate, limits=LIMITS), certificate, LIMITS)
    assert blame_of_note(note, bench, certificate, LIMITS) is not None
    assert blame_of_note(change(note), bench, certificate, LIMITS) is None


def test_it_is_of_one_certificate_and_one_number_of_expansions() -> None:
    bench, certificate = example()
    note = note_of(blame(bench, certificate, limits=LIMITS), certificate, LIMITS)
    assert blame_of_note(note, bench, certificate, Limits(expansions=501)) is None
    other = {**certificate, "policy": "another"}
    assert blame_of_note(note, bench, other, LIMITS) is None


def test_what_somebody_else_has_found_out_is_searched_for_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench, certificate = example()
    found = blame(bench, certificate, limits=LIMITS)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "stranger"))
    note = note_of(found, certificate, LIMITS)
    assert blame_of_note(note, bench, certificate, LIMITS) is not None
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "me"))
    assert blame_of_note(note, bench, certificate, LIMITS) is None
    (tmp_path / "full").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "full"))
    assert note_of(found, certificate, LIMITS) is None
