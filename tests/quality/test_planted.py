"""The decision that is named is the one that was planted; the figures are printed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice

import pytest

from bugsieve.base.seeds import Stream
from bugsieve.explanation.blame.blame import BOUND, EXACT, blame
from bugsieve.tasks.search import Limits
from tests.depth import examples
from tests.quality.planted import Planted, planted_into, planted_into_optimal, task_of

Sizes = Mapping[str, Mapping[str, int]]

SMALL = (
    *("blocksworld", "childsnack", "ferry", "floortile", "gripper", "matching-blocksworld"),
    *("miconic", "satellite", "scanalyzer", "spanner", "storage", "transport", "visitall"),
)
BEYOND: Sizes = {
    "blocksworld": {"blocks": 8},
    "childsnack": {},
    "ferry": {"cars": 7, "locations": 5},
    "floortile": {"rows": 2, "columns": 4, "robots": 2},
    "gripper": {"balls": 7},
    "matching-blocksworld": {"blocks": 8},
    "rovers": {"waypoints": 5, "soils": 2, "images": 2},
    "scanalyzer": {},
    "transport": {"packages": 3, "nodes": 7},
}
FEW = Limits(expansions=600, bytes=1 << 30)
"""So few that optimal search often does not get to the end on those tasks."""
IMPERFECT = ("ehc", "hill-climbing:hff")
IMPERFECT_IN = tuple(sorted(set(SMALL) - {"matching-blocksworld", "floortile", "scanalyzer"}))
"""In the others these policies do well in too few states."""


def planted(sizes: Sizes, each: int) -> Iterator[Planted]:
    for domain, size in sizes.items():
        stream = Stream(1, "planted", domain)
        yield from islice(planted_into_optimal(task_of(domain, 1, **size), stream), each)


def report(
    capsys: pytest.CaptureFixture[str], what: str, hits: int, of: int, least: float
) -> None:
    """Print the share, which must be at least so much."""
    with capsys.disabled():
        print(f"\n{what}: {hits} of {of}, {hits / of:.1%} (at least {least:.0%})")
    assert hits >= least * of


def test_in_reach_of_optimal_search_it_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    cases = list(planted({domain: {} for domain in SMALL}, examples(30, quick=5)))
    results = [(case, blame(case.bench, case.certificate)) for case in cases]
    in_reach = [(case, found) for case, found in results if found.sure == EXACT]
    hits = sum(found.index == case.index for case, found in in_reach)
    assert len(in_reach) >= examples(200, quick=50)
    report(capsys, "planted into optimal policies and named, in reach", hits, len(in_reach), 0.99)


def test_beyond_it_is_named_mostly(capsys: pytest.CaptureFixture[str]) -> None:
    cases = list(planted(BEYOND, examples(80, quick=8)))
    results = [(case, blame(case.bench, case.certificate, limits=FEW)) for case in cases]
    beyond = [(case, found) for case, found in results if found.sure == BOUND]
    hits = sum(found.index == case.index for case, found in beyond)
    assert len(beyond) >= examples(200, quick=20)
    report(capsys, "planted into optimal policies and named, beyond", hits, len(beyond), 0.85)


@pytest.mark.parametrize("spec", IMPERFECT)
def test_in_imperfect_policies_it_is_among_the_first_two(
    spec: str, capsys: pytest.CaptureFixture[str]
) -> None:
    hits = number = 0
    for domain in IMPERFECT_IN:
        stream = Stream(1, "planted", spec, domain)
        for case in islice(planted_into(spec, task_of(domain, 1), stream), examples(25, quick=4)):
            number += 1
            hits += case.index in blame(case.bench, case.certificate).named[:2]
    assert number >= examples(200, quick=30)
    report(capsys, f"planted into {spec} and among the first two", hits, number, 0.95)
