"""No certificate of a false claim is accepted, however it came about."""

from __future__ import annotations

import copy
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from bugsieve.rooms.safety.checker import safety_claims
from tests.depth import examples
from tests.property.safety_systems import RADII, decider, model, systems
from tests.reference.safety import UNSAFE, System, safe_states
from tests.unit.oracles.safety.graphs import certificate_of

Certificate = dict[str, Any]


def accepts(system: System, certificate: Certificate) -> bool:
    try:
        safety_claims.check(model(system), certificate)
    except safety_claims.CertificateError:
        return False
    return True


def is_true(system: System, certificate: Certificate) -> bool:
    is_safe = certificate["state"][0] in safe_states(system, certificate["radius"])
    return is_safe is (certificate["kind"] == "safe")


def rows_of(certificate: Certificate) -> list[list[Any]]:
    rows: list[list[Any]] = certificate["table" if certificate["kind"] == "safe" else "ranking"]
    return rows


def certificates(portion: int, count: int) -> list[tuple[Random, System, Certificate]]:
    found = []
    for seed, system in systems(portion, count):
        for radius in RADII:
            judge = decider(system, ("tarjan", "lrtdp", "lao", "vi")[seed % 4], radius)
            found += [(Random(seed), system, certificate_of(judge, [s])) for s in system.states]
    return found


def mutate(random: Random, system: System, certificate: Certificate) -> Certificate:
    """The certificate with up to three small changes, anywhere."""
    changed = copy.deepcopy(certificate)
    rows = rows_of(changed)
    for _ in range(random.randint(1, 3)):
        match random.randrange(6):
            case 0:
                changed["state"] = [random.choice(system.states)]
            case 1:
                changed["radius"] = random.choice(RADII)
            case 2 if rows:
                rows.pop(random.randrange(len(rows)))
            case 3 if rows:
                random.choice(rows)[random.choice((1, 2))] += random.choice((-1, 1, 2))
            case 4 if rows:
                random.choice(rows)[0] = [random.choice(system.states)]
            case _:
                rows.append([[random.choice(system.states)], random.randint(0, 2), 1])
    return changed


def test_what_is_accepted_is_true() -> None:
    accepted = rejected = 0
    for random, system, certificate in certificates(100, 120):
        for _ in range(4):
            changed = mutate(random, system, certificate)
            if accepts(system, changed):
                accepted += 1
                assert is_true(system, changed), changed
            else:
                rejected += 1
    assert accepted > examples(100)
    assert rejected > 3 * accepted


def drop_start(certificate: Certificate) -> bool:
    """Without its first row, nothing is said about the state."""
    return bool(rows_of(certificate)) and bool(rows_of(certificate).pop(0))


def drop_any_table_row(certificate: Certificate) -> bool:
    return (
        certificate["kind"] == "safe"
        and bool(certificate["table"])
        and bool(certificate["table"].pop())
    )


def flatten_ranks(certificate: Certificate) -> bool:
    ranks = [row[2] for row in certificate.get("ranking", ())]
    for row in certificate.get("ranking", ()):
        row[2] = 1
    return max(ranks, default=1) > 1


def turn_round(certificate: Certificate) -> bool:
    """Claim the opposite with the same rows."""
    rows = rows_of(certificate)
    is_safe = certificate["kind"] == "safe"
    del certificate["table" if is_safe else "ranking"]
    certificate["kind"] = "unsafe" if is_safe else "safe"
    certificate["ranking" if is_safe else "table"] = rows
    return True


def unknown_action(certificate: Certificate) -> bool:
    for row in certificate.get("table", ()):
        row[1] = 9
    return bool(certificate.get("table"))


def too_many_divergences(certificate: Certificate) -> bool:
    if not certificate.get("table"):
        return False
    certificate["table"][0][2] = 1 + (certificate["radius"] or 0)
    return True


def too_large_budget(certificate: Certificate) -> bool:
    for row in certificate.get("ranking", ()):
        row[1] += 1
    return bool(certificate.get("ranking"))


def twice(certificate: Certificate) -> bool:
    rows_of(certificate).extend(copy.deepcopy(rows_of(certificate)))
    return bool(rows_of(certificate))


def unknown_state(certificate: Certificate) -> bool:
    certificate["state"] = [99]
    return True


def short_row(certificate: Certificate) -> bool:
    rows_of(certificate).append([[0], 0])
    return True


def fraction(certificate: Certificate) -> bool:
    rows_of(certificate).append([[0], 0, 1.0])
    return True


def without_radius(certificate: Certificate) -> bool:
    del certificate["radius"]
    return True


def changing(**values: object) -> Callable[[Certificate], bool]:
    def mutation(certificate: Certificate) -> bool:
        certificate.update(values)
        return True

    return mutation


MUTATIONS: list[Callable[[Certificate], bool]] = [
    drop_start,
    drop_any_table_row,
    flatten_ranks,
    turn_round,
    unknown_action,
    too_many_divergences,
    too_large_budget,
    twice,
    unknown_state,
    short_row,
    fraction,
    without_radius,
    changing(extra=1),
    changing(kind="proof"),
    changing(kind=["safe"]),
    changing(radius=-1),
    changing(radius=True),
    changing(state=3),
    changing(state=[[0]]),
]


@pytest.mark.parametrize("mutation", MUTATIONS)
def test_mutations_are_rejected(mutation: Callable[[Certificate], bool]) -> None:
    tried = 0
    for _, system, certificate in certificates(110, 40):
        changed = copy.deepcopy(certificate)
        if mutation(changed):
            tried += 1
            assert not accepts(system, changed), (certificate, changed)
    assert tried > examples(50)


def test_an_unsafe_row_is_rejected_on_either_side() -> None:
    tried = 0
    for _, system, certificate in certificates(120, 40):
        for danger in (s for s in system.states if system.kinds[s] == UNSAFE):
            changed = copy.deepcopy(certificate)
            rows_of(changed).append([[danger], 0, 1])
            assert not accepts(system, changed)
            tried += 1
    assert tried > examples(50)
