"""The translator's child process: limits, failures and what they are called."""

from __future__ import annotations

import math
from importlib import metadata
from typing import Any

import pytest

from bugsieve.base.errors import BudgetError, InputError, UsageError
from bugsieve.tasks.grounded import translator
from bugsieve.tasks.grounded.translator import TranslationLimits, WarmTranslator, translate
from tests.unit.tasks.pddl.texts import DOMAIN, PROBLEM, replaced

LARGE_DOMAIN = b"""(define (domain grid) (:predicates (at ?x ?y ?z) (seen ?x ?y ?z))
(:action jump :parameters (?a ?b ?c ?x ?y ?z) :precondition (at ?a ?b ?c)
 :effect (and (not (at ?a ?b ?c)) (at ?x ?y ?z) (seen ?x ?y ?z))))"""


def large_problem(size: int) -> bytes:
    names = " ".join(f"o{i}" for i in range(size))
    return (
        f"(define (problem large) (:domain grid) (:objects {names}) (:init (at o0 o0 o0))"
        "(:goal (seen o1 o1 o1)))"
    ).encode()


def run(
    domain: str = DOMAIN, problem: str = PROBLEM, limits: TranslationLimits | None = None
) -> bytes:
    return translate(domain.encode(), problem.encode(), name="p.pddl", limits=limits)


def test_translates_and_keeps_what_the_goal_does_not_need() -> None:
    action = "(:action wait :effect (and))"
    domain = replaced(DOMAIN, "(:action move", f"{action}\n (:action move")
    text = run(domain)
    assert text.startswith(b"begin_version\n3\n")
    assert b"begin_operator\nwait" in text


def test_same_text_every_time() -> None:
    assert run() == run()


def test_time_limit() -> None:
    limits = TranslationLimits(seconds=0.05)
    with pytest.raises(
        BudgetError, match=r"p\.pddl: grounding took longer than 0\.05 s"
    ) as caught:
        translate(LARGE_DOMAIN, large_problem(12), name="p.pddl", limits=limits)
    assert "--translation-time S" in str(caught.value)
    assert "bugsieve.TranslationLimits(seconds=S)" in str(caught.value)


def test_processor_time_limit_of_the_child() -> None:
    limits = TranslationLimits(seconds=1.9)
    with pytest.raises(BudgetError, match="took longer"):
        translate(LARGE_DOMAIN, large_problem(30), name="p.pddl", limits=limits)


def test_memory_limit() -> None:
    limits = TranslationLimits(bytes=150 << 20)
    with pytest.raises(BudgetError, match=r"p\.pddl: grounding needs more than 150 MiB") as caught:
        translate(LARGE_DOMAIN, large_problem(30), name="p.pddl", limits=limits)
    assert "--translation-memory MIB" in str(caught.value)
    assert "bugsieve.TranslationLimits(bytes=N)" in str(caught.value)


def test_who_hangs_at_the_memory_limit_is_out_of_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """As CPython may when a MemoryError leaves no room for the way to its handler."""
    hanging = """
held = []
try:
    while True:
        held.append(bytes(1000))
except MemoryError:
    while True:
        pass
"""
    script = translator._SERVER.partition("sys.argv[:] =")[0] + hanging
    monkeypatch.setattr(translator, "_SERVER", script)
    with pytest.raises(BudgetError, match=r"p\.pddl: grounding needs more than 80 MiB"):
        run(limits=TranslationLimits(bytes=80 << 20))


@pytest.mark.parametrize("limits", [{"seconds": 0.0}, {"seconds": math.nan}, {"bytes": -1}])
def test_limits_are_positive(limits: dict[str, Any]) -> None:
    (name,) = limits
    with pytest.raises(UsageError, match=rf"TranslationLimits\.{name} must be greater than 0"):
        TranslationLimits(**limits)


def test_limits_beyond_all_bounds_are_none() -> None:
    assert run(limits=TranslationLimits(seconds=math.inf, bytes=1 << 80)) == run()


def test_refusals_become_one_sentence() -> None:
    with pytest.raises(InputError) as caught:
        run(domain=replaced(DOMAIN, ":typing", ":continuous-effects"))
    assert "p.pddl: the translator refuses the task" in str(caught.value)
    assert ":continuous-effects" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_unreachable_goals_are_refused() -> None:
    with pytest.raises(InputError, match=r"p\.pddl: the goal cannot be reached"):
        run(problem=replaced(PROBLEM, "(and (on a b) (on b table))", "(red b)"))


def test_goals_that_always_hold_are_refused() -> None:
    with pytest.raises(InputError, match=r"p\.pddl: the goal holds in every state"):
        run(problem=replaced(PROBLEM, "(and (on a b) (on b table))", "(red a)"))


def test_missing_package_names_the_pip_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(translator, "PACKAGE", "no-such-package-as-this")
    with pytest.raises(UsageError, match=r"install it with: pip install fast-downward\.translate"):
        run()


def test_version_is_the_package_version() -> None:
    assert translator.translator_version() == metadata.version("fast-downward.translate")


def test_a_warm_translator_does_the_same_for_many() -> None:
    trivial = replaced(PROBLEM, "(and (on a b) (on b table))", "(red a)").encode()
    other = replaced(PROBLEM, "(and (on a b) (on b table))", "(on b table)").encode()
    with WarmTranslator() as warm:
        assert warm.translate(DOMAIN.encode(), PROBLEM.encode(), name="p.pddl") == run()
        with pytest.raises(InputError, match=r"p\.pddl: the goal holds in every state"):
            warm.translate(DOMAIN.encode(), trivial, name="p.pddl")
        found = warm.translate(DOMAIN.encode(), other, name="p.pddl")
        assert found == run(problem=other.decode())
        refused = replaced(DOMAIN, ":typing", ":continuous-effects").encode()
        with pytest.raises(InputError, match="the translator refuses the task"):
            warm.translate(refused, other, name="p.pddl")
        assert warm.translate(DOMAIN.encode(), PROBLEM.encode(), name="p.pddl") == run()


def test_a_warm_translator_keeps_the_limits() -> None:
    with WarmTranslator(TranslationLimits(bytes=100 << 20)) as warm:
        with pytest.raises(BudgetError, match=r"p\.pddl: grounding needs more than 100 MiB"):
            warm.translate(LARGE_DOMAIN, large_problem(30), name="p.pddl")
        assert warm.translate(DOMAIN.encode(), PROBLEM.encode(), name="p.pddl") == run()
    with WarmTranslator(TranslationLimits(seconds=0.3)) as warm:
        for _ in range(2):
            with pytest.raises(BudgetError, match=r"p\.pddl: grounding took longer than 0\.3 s"):
                warm.translate(LARGE_DOMAIN, large_problem(30), name="p.pddl")


@pytest.mark.parametrize("is_awaited", [False, True])
def test_a_warm_translator_that_was_killed_is_started_again(is_awaited: bool) -> None:
    with WarmTranslator() as warm:
        found = warm.translate(DOMAIN.encode(), PROBLEM.encode(), name="p.pddl")
        assert warm._process is not None
        warm._process.kill()
        if is_awaited:  # then it cannot even be told what to translate
            warm._process.wait()
        with pytest.raises(BudgetError, match="needs more than"):
            warm.translate(DOMAIN.encode(), PROBLEM.encode(), name="p.pddl")
        assert warm.translate(DOMAIN.encode(), PROBLEM.encode(), name="p.pddl") == found
