"""Which traces refute a rule for good: the table of rules, on small domains."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from bugsieve.rooms.domain_testing.engine_judge import judge_rules
from bugsieve.rooms.domain_testing.rule_judging import Reading, Requirement, RuleFinding
from bugsieve.rooms.rules.engine import refutations
from bugsieve.rooms.rules.engine.conditions import Condition
from bugsieve.rooms.rules.engine.refutations import fixed_atoms
from bugsieve.rooms.rules.engine.relaxations import is_never_stuck
from bugsieve.tasks.grounded.loading import load_task
from bugsieve.tasks.grounded.sas_text import SasOperator, SasTask, SasVariable

ROVER = """(define (domain rover)
  (:predicates (alive) (sampled) (lit) (two))
  (:action sample :parameters () :precondition (alive) :effect (sampled))
  (:action light :parameters () :precondition (not (lit)) :effect (lit))
  (:action dim :parameters () :precondition (lit) :effect (not (lit)))
  {more})
"""
DIE = "(:action die :parameters () :precondition (alive) :effect (not (alive)))"
SHIP = """(define (domain ship)
  (:predicates (waiting) (boarded) (served) (open))
  (:action board :parameters () :precondition (and (waiting) (open))
    :effect (and (boarded) (not (waiting))))
  (:action leave :parameters () :precondition (boarded)
    :effect (and (not (boarded)) (served) {after}))
  (:action look :parameters () :precondition (open) :effect (open)))
"""


def found(
    tmp_path: Path, domain: str, init: str, goal: str, rule: str, **atoms: str
) -> RuleFinding:
    """What comes of a rule on a domain; the checkers accept it, or this raises."""
    name = domain.split("(domain ")[1].split(")")[0]
    (tmp_path / "domain.pddl").write_text(domain)
    (tmp_path / "problem.pddl").write_text(
        f"(define (problem p) (:domain {name}) (:init {init}) (:goal {goal}))"
    )
    task = load_task(tmp_path)
    wanted = Requirement(rule, atoms)
    (finding,) = judge_rules(task, wanted, name="test", reading=Reading()).values()
    return finding


def on_rover(tmp_path: Path, rule: str, more: str = "") -> RuleFinding:
    atoms = {name: f"({name})" for name in ("alive", "sampled", "lit", "two") if name in rule}
    return found(tmp_path, ROVER.format(more=more), "(alive)", "(lit)", rule, **atoms)


def on_ship(tmp_path: Path, rule: str, after: str) -> RuleFinding:
    atoms = {name: f"({name})" for name in ("served", "boarded") if name in rule}
    return found(tmp_path, SHIP.format(after=after), "(waiting) (open)", "(served)", rule, **atoms)


@pytest.mark.parametrize(
    ("rule", "more", "verdict", "actions"),
    [
        # On words alone a rejecting sink, but infinite words keep it.
        ("G F lit & G F !lit", "", "safety part holds", ()),
        ("F sampled & G(sampled -> X sampled)", "", "safety part holds", ()),
        # No infinite word keeps it, but words that end do.
        ("F(N false & (lit | !lit))", "", "safety part holds", ()),
        # Both, once the rover is dead.
        (
            "F sampled & G(!alive -> (sampled | G !sampled))",
            DIE,
            "violated",
            ("(die)",),
        ),
        ("F sampled & G(!alive -> (sampled | G !sampled))", "", "safety part holds", ()),
        # What is in no state never comes.
        ("F two & G(alive | !alive)", "", "violated", ()),
        ("F two", "", "violated", ()),
        ("F sampled", "", "safety part holds", ()),
        ("F sampled", DIE, "violated", ("(die)",)),
        ("G(lit -> F sampled)", DIE, "violated", ("(die)", "(light)")),
        ("F sampled | G alive", DIE, "violated", ("(die)",)),
        ("G F !lit", DIE, "safety part holds", ()),
        ("G(sampled -> N sampled)", "", "holds", ()),
        ("G alive", "", "vacuous", ()),  # which never changes
    ],
)
@pytest.mark.parametrize("most", [refutations.MAX_PLACES, 0])
def test_the_table(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    most: int,
    rule: str,
    more: str,
    verdict: str,
    actions: tuple[str, ...],
) -> None:
    """The same by atoms that can change no more, in domains as simple as these."""
    monkeypatch.setattr(refutations, "MAX_PLACES", most)
    finding = on_rover(tmp_path, rule, more)
    assert (finding.verdict, sorted(finding.actions)) == (verdict, sorted(actions))
    if verdict == "safety part holds":
        is_exact = most > 0 or "N false" in rule  # which every trace keeps as it ends
        assert ("was found" in finding.reason) != is_exact


SERVED = "G(served -> F boarded) & G(served -> G !boarded)"


def test_who_never_boards_again_cannot_keep_both(tmp_path: Path) -> None:
    assert on_ship(tmp_path, SERVED, "").verdict == "violated"
    again = on_ship(tmp_path, "G(served -> F boarded)", "(waiting)")
    assert again.verdict == "safety part holds"
    once = on_ship(tmp_path, "G(served -> F boarded)", "")
    assert (once.verdict, once.actions) == ("violated", ("(board)", "(leave)"))


def test_a_trace_that_is_stuck_has_itself_as_its_only_continuation(tmp_path: Path) -> None:
    domain = """(define (domain stuck) (:predicates (here) (there))
      (:action go :parameters () :precondition (here) :effect (and (there) (not (here)))))
    """
    atoms = {"there": "(there)", "here": "(here)"}

    def verdict(rule: str) -> str:
        used = {name: text for name, text in atoms.items() if name in rule.replace("there", "T")}
        used |= {"there": "(there)"} if "there" in rule else {}
        return found(tmp_path, domain, "(here)", "(there)", rule, **used).verdict

    assert verdict("G(there -> N !there)") in ("holds", "vacuous")
    assert verdict("G(there -> X there)") == "violated"
    assert verdict("G(there -> F !there)") == "violated"
    assert verdict("F there") == "safety part holds"


def test_atoms_that_are_the_same_from_now_on() -> None:
    """From 0 to 1 to 2, and on 2 to and fro with another variable."""
    variables = [SasVariable(f"v{n}", -1, [f"{v}" for v in range(3)]) for n in range(2)]
    steps = [
        SasOperator("one", {0: 0}, [({}, 0, 1)], 1),
        SasOperator("two", {0: 1}, [({}, 0, 2)], 1),
        SasOperator("there", {0: 2, 1: 0}, [({}, 1, 1)], 1),
        SasOperator("back", {0: 2, 1: 1}, [({}, 1, 0)], 1),
    ]
    sas = SasTask(False, variables, [], [0, 0], [], steps)
    atoms: Mapping[str, Condition] = {
        "start": ("fact", 0, 0),
        "end": ("fact", 0, 2),
        "aside": ("fact", 1, 1),
        "lost": ("fact", 1, 2),
        "first": ("did", (0,)),
        "either": ("or", ("fact", 0, 1), ("fact", 0, 2)),
        "none": ("and", ("not", ("fact", 0, 1)), ("fact", 0, 0)),
    }
    assert fixed_atoms(sas, atoms, [0, 0]) == {"lost": False}
    assert fixed_atoms(sas, atoms, [1, 0]) == {
        "start": False,
        "lost": False,
        "first": False,
        "none": False,
    }  # that it is 1 or 2 is not seen: each of them may be false
    assert fixed_atoms(sas, atoms, [2, 0])["end"] is True
    assert fixed_atoms(sas, atoms, [0, 2])["lost"] is True
    stuck = SasTask(False, variables, [], [0, 0], [], steps[:1])
    assert fixed_atoms(stuck, atoms, [1, 0])["first"] is False


def test_tasks_that_are_never_stuck() -> None:
    """One that goes to and fro; one with an end; one with a step that needs what never changes."""
    variables = [SasVariable(f"v{n}", -1, ["no", "yes"]) for n in range(2)]
    go = SasOperator("go", {0: 0, 1: 1}, [({}, 0, 1)], 1)
    back = SasOperator("back", {0: 1}, [({}, 0, 0)], 1)
    stay = SasOperator("stay", {1: 1}, [], 1)
    lose = SasOperator("lose", {}, [({}, 1, 0)], 1)

    def is_never(*operators: SasOperator) -> bool:
        return is_never_stuck(SasTask(False, variables, [], [0, 1], [], list(operators)))

    assert is_never(go, back) and is_never(go, stay) and is_never(go, lose)
    assert not is_never(go) and not is_never()
    away = SasOperator("away", {0: 1}, [({}, 1, 0)], 1)
    assert not is_never(go, back, away)
