"""Equal transitions, against a brute force that knows nothing of grounding."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest

from bugsieve.base.errors import BugsieveError
from bugsieve.rooms.domain_testing.equivalence import compare_tasks
from bugsieve.rooms.domain_testing.mutants import mutants_of
from bugsieve.rooms.domain_testing.worlds import Files
from bugsieve.tasks.pddl.reader import Document, parse
from tests.depth import examples
from tests.property.pddl_strategies import seeded_pddl
from tests.reference import pddl
from tests.reference.pddl import PddlState
from tests.unit.domain_testing.lights import DOMAIN, PROBLEM, write_files

MAX_BRUTE = 400


def transitions(domain: str, problem: str) -> set[tuple[PddlState, str, PddlState]] | None:
    """All reachable transitions, or None if there are many states."""
    task = pddl.parse_task(domain, problem)
    seen, pending = {task.initial_state}, [task.initial_state]
    found = set()
    while pending:
        state = pending.pop()
        for action in pddl.ground_actions(task, state):
            after = task.apply(state, action)
            found.add((state, action, after))
            if after not in seen:
                seen.add(after)
                pending.append(after)
        if len(seen) > MAX_BRUTE:
            return None
    return found


def test_a_domain_equals_itself(tmp_path: Path) -> None:
    write_files(tmp_path)
    task = Files().world(tmp_path / "domain.pddl", tmp_path / "problem.pddl").task
    assert compare_tasks(task, task) == "equal"


def compare_all(folder: Path, domain: str, problem: str, *, most: int) -> list[str]:
    """Compare every mutant by both; what was found."""
    write_files(folder, domain=domain, problem=problem)
    paths = folder / "domain.pddl", folder / "problem.pddl"
    files = Files()
    original = files.world(*paths).task
    expected = transitions(domain, problem)
    found: list[str] = []
    if expected is None:
        return found
    for mutant in islice(mutants_of(files.pddl(*paths).domain), most):
        changed = files.with_changed(paths[0], mutant.document(files.document(paths[0])))
        try:
            task = changed.world(*paths).task
        except BugsieveError:
            continue
        theirs = transitions(mutant.text, problem)
        if theirs is not None:
            verdict = compare_tasks(original, task)
            assert verdict == ("equal" if theirs == expected else "different"), mutant.text
            found.append(verdict)
    return found


def test_mutants_counted_by_brute_force(tmp_path: Path) -> None:
    found = compare_all(tmp_path, DOMAIN, PROBLEM, most=100)
    assert len(found) == 21
    assert {"equal", "different"} == set(found)


def test_random_domains(tmp_path: Path) -> None:
    found: list[str] = []
    for seed in range(examples(60, quick=4)):
        text = seeded_pddl(seed)
        try:
            found += compare_all(tmp_path, text.domain, text.problem, most=examples(40, quick=4))
        except BugsieveError:
            continue  # no task at all
    assert {"equal", "different"} <= set(found)


def document(path: Path, text: str) -> Document:
    return Document(str(path), text.encode(), parse(text.encode(), str(path)))


def test_other_static_facts_are_a_difference(tmp_path: Path) -> None:
    write_files(tmp_path)
    other = tmp_path / "other.pddl"
    other.write_text(PROBLEM.replace("(wired s a)", "(wired s a) (wired s b)"))
    files, domain = Files(), tmp_path / "domain.pddl"
    left, right = (files.world(domain, path).task for path in (tmp_path / "problem.pddl", other))
    assert compare_tasks(left, right) == "different"


def test_more_states_than_allowed_are_unknown(tmp_path: Path) -> None:
    domain = DOMAIN.replace(
        "(:action pass",
        "(:action off :parameters (?l - lamp) :precondition "
        "(on ?l) :effect (not (on ?l)))\n  (:action pass",
    )
    again = domain.replace(
        "(next ?l ?m))\n    :effect", "(next ?l ?m) (not (on ?m)))\n    :effect"
    )
    write_files(tmp_path, domain=domain)
    paths = tmp_path / "domain.pddl", tmp_path / "problem.pddl"
    files = Files()
    left = files.world(*paths).task
    right = files.with_changed(paths[0], document(paths[0], again)).world(*paths).task
    assert compare_tasks(left, right) == "different"
    assert compare_tasks(left, right, max_states=1) == "unknown"


@pytest.mark.parametrize("goal", ["(on c)", "(or (on a) (not (on a)))"])
def test_a_trivial_goal_does_not_hide_the_transitions(tmp_path: Path, goal: str) -> None:
    problem = PROBLEM.replace("a b - lamp", "a b c - lamp")
    write_files(tmp_path, problem=problem)
    trivial = tmp_path / "trivial.pddl"
    trivial.write_text(problem.replace("(and (on a) (on b))", goal))
    files = Files()
    plain = files.world(tmp_path / "domain.pddl", tmp_path / "problem.pddl")
    world = files.world(tmp_path / "domain.pddl", trivial)
    assert plain.goal_holds is None
    assert world.goal_holds is (goal != "(on c)")
    assert bool(world.task.is_goal(world.task.initial_state)[0]) is world.goal_holds
    assert compare_tasks(plain.task, world.task) == "equal"
