"""Proofs that there is no trace, each of them accepted by the checker."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from bugsieve.rooms.rules.checker.rules import CertificateError, Checker
from bugsieve.rooms.rules.engine.certificates import Statement, none_certificate, trace_certificate
from bugsieve.rooms.rules.engine.conditions import Condition
from bugsieve.rooms.rules.engine.deciding import NoTrace, decide
from bugsieve.rooms.rules.engine.proofs import Proof, proofs
from bugsieve.rooms.rules.ltl.formula import Formula, atom, finally_, next_
from bugsieve.rooms.rules.ltl.printer import to_text
from bugsieve.tasks.grounded.task import Task
from bugsieve.tasks.search import Limits
from tests.unit.rules.engine.lamps import ATOMS, SWITCH_ON_A, exclusive_lamps, lamps

BOTH: dict[str, Condition] = {"x": ("fact", 0, 1), "y": ("fact", 1, 1)}
BOTH_BURN = finally_(atom("x") & atom("y"))
# With an X every operator counts, so that nothing is cut away.
BOTH_BURN_AND_MORE = finally_(atom("x") & atom("y") & next_(atom("x")))


def accepted(task: Task, formula: Formula, atoms: Mapping[str, Condition], proof: Proof) -> bool:
    statement = Statement(to_text(formula), "trap", "neutral", formula, atoms)
    try:
        Checker(task.to_sas()).check(none_certificate(task, statement, proof))
    except CertificateError:
        return False
    return True


def test_pairs_decide_what_single_facts_cannot() -> None:
    task = exclusive_lamps(14)
    found = decide(task, BOTH_BURN_AND_MORE, BOTH, limits=Limits(expansions=2_000))
    assert isinstance(found, NoTrace)
    assert found.how == "pairs"
    proof = next(proofs(task, BOTH_BURN_AND_MORE, BOTH))
    assert proof["by"] == "pairs"
    assert accepted(task, BOTH_BURN_AND_MORE, BOTH, proof)
    del proof["pairs"][-1]
    assert not accepted(task, BOTH_BURN_AND_MORE, BOTH, proof)


def test_without_an_x_nothing_need_be_expanded() -> None:
    # What switches a lamp on needs the other one dark: the regressed guards contradict that.
    assert decide(exclusive_lamps(14), BOTH_BURN, BOTH) == NoTrace("relaxation")


def test_every_kind_of_proof_is_accepted_where_it_applies() -> None:
    task = exclusive_lamps(3)
    found = list(proofs(task, BOTH_BURN_AND_MORE, BOTH))
    assert [proof["by"] for proof in found] == ["pairs", "pairs", "states", "rerun"]
    assert all(accepted(task, BOTH_BURN_AND_MORE, BOTH, proof) for proof in found)


def test_too_many_states_are_not_listed() -> None:
    found = proofs(exclusive_lamps(10), BOTH_BURN_AND_MORE, BOTH, max_states=100)
    assert "states" not in [proof["by"] for proof in found]


def test_a_proof_of_what_is_false_is_refused() -> None:
    # There is a trace, so that nothing but the rerun is left to say.
    found = list(proofs(lamps(), finally_(atom("a")), ATOMS))
    assert not any(accepted(lamps(), finally_(atom("a")), ATOMS, proof) for proof in found)


def test_a_certificate_names_the_actions_as_plans_do() -> None:
    statement = Statement("F a", "satisfaction", "neutral", finally_(atom("a")), ATOMS)
    certificate = trace_certificate(lamps(), statement, [SWITCH_ON_A])
    assert certificate["trace"]["actions"] == ["(on a)"]
    Checker(lamps().to_sas()).check(certificate)
    with pytest.raises(CertificateError, match="another task"):
        Checker(lamps().to_sas([0, 1, 0, 0])).check(certificate)
