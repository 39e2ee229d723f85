"""The lifted structure: related atoms of schemas, slots of predicates, and the digest."""

from __future__ import annotations

from pathlib import Path

import pytest

from bugsieve.base.errors import UnsupportedError
from bugsieve.rooms.formats.asnets.signature import Signature, Slot, signature_of
from tests.unit.policies.asnets.tasks import HALL, PROBLEM, written


def signature(folder: Path, domain: str = HALL, problem: str = PROBLEM) -> Signature:
    pddl = written(folder, domain, problem).pddl
    assert pddl is not None
    return signature_of(pddl)


def test_related_atoms_are_those_of_condition_and_effect_in_order(tmp_path: Path) -> None:
    found = {schema.name: list(map(str, schema.related)) for schema in signature(tmp_path).schemas}
    assert found == {
        "go": ["(at ?0)", "(way ?0 ?1)", "(at ?1)", "(dirty ?1)"],
        "switch": ["(at ?1)", "(in ?0 ?1)", "(lit ?0)", "(broken ?0)"],
        "dim": ["(at ?1)", "(in ?0 ?1)", "(lit ?0)"],
        "leave": ["(at ?0)", "(way ?0 exit)", "(at exit)"],
        "wait": ["(at ?0)"],
    }


def test_slots_are_by_schema_then_by_position(tmp_path: Path) -> None:
    slots = signature(tmp_path).slots
    wanted = [(0, 0), (0, 2), (1, 0), (2, 0), (3, 0), (3, 2), (4, 0)]
    assert slots["at"] == tuple(Slot(*slot) for slot in wanted)
    assert slots["lit"] == (Slot(1, 2), Slot(2, 2))
    assert slots["unused"] == ()


def test_the_digest_knows_atoms_and_order_but_no_names_of_parameters(tmp_path: Path) -> None:
    usual = signature(tmp_path).digest
    renamed = HALL.replace("?from", "?x").replace("?to", "?y")
    assert signature(tmp_path, renamed).digest == usual
    assert signature(tmp_path, HALL.replace("(not (dirty ?to))", "")).digest != usual
    swapped = HALL.replace("(and (at ?from) (way ?from ?to)", "(and (way ?from ?to) (at ?from)")
    assert signature(tmp_path, swapped).digest != usual


@pytest.mark.parametrize(
    ("condition", "feature"),
    [
        ("(or (at ?p) (way ?p ?p))", "disjunctions"),
        ("(not (and (at ?p) (way ?p ?p)))", "disjunctions"),
        ("(imply (at ?p) (way ?p ?p))", "disjunctions"),
        ("(exists (?q - place) (at ?q))", "quantifiers"),
    ],
)
def test_schemas_that_are_no_lists_of_literals_are_refused(
    condition: str, feature: str, tmp_path: Path
) -> None:
    domain = HALL.replace("(at ?p) :effect (at ?p)", f"{condition} :effect (at ?p)")
    domain = domain.replace(":equality", ":adl")
    with pytest.raises(UnsupportedError, match=f"'hall', action 'wait': ASNets know no {feature}"):
        signature(tmp_path, domain)


def test_conditional_effects_are_refused(tmp_path: Path) -> None:
    domain = HALL.replace(":effect (at ?p)", ":effect (when (way ?p ?p) (at ?p))")
    with pytest.raises(UnsupportedError, match="ASNets know no conditional effects"):
        signature(tmp_path, domain.replace(":equality", ":adl"))
