"""Tasks whose goal is trivial, and files of which one stands for another."""

from __future__ import annotations

import pickle
from pathlib import Path

from bugsieve.rooms.domain_testing.worlds import Files
from bugsieve.tasks.grounded.translator import TrivialGoalError
from bugsieve.tasks.pddl.reader import Document, parse
from tests.unit.domain_testing.lights import DOMAIN, PROBLEM, write_files

UNREACHABLE = PROBLEM.replace("(next a b)", "")
ALWAYS = PROBLEM.replace("(and (on a) (on b))", "(wired s a)")


def paths(folder: Path, **files: str) -> tuple[Path, Path]:
    write_files(folder, **files)
    return folder / "domain.pddl", folder / "problem.pddl"


def test_the_actions_of_a_task_without_a_reachable_goal(tmp_path: Path) -> None:
    world = Files().world(*paths(tmp_path, problem=UNREACHABLE))
    assert world.goal_holds is False
    assert world.task.operator_names == ("(light s a)",)
    assert world.task.pddl_texts is not None
    assert world.task.pddl_texts.problem == UNREACHABLE.encode()
    assert not world.task.is_goal(world.task.initial_state)[0]


def test_a_goal_that_always_holds(tmp_path: Path) -> None:
    world = Files().world(*paths(tmp_path, problem=ALWAYS))
    assert world.goal_holds is True
    assert world.task.is_goal(world.task.initial_state)[0]
    assert set(world.task.operator_names) == {"(light s a)", "(pass a b)"}


def test_the_name_of_our_own_action_may_be_taken(tmp_path: Path) -> None:
    domain = DOMAIN.replace("(on ?l - lamp)", "(on ?l - lamp) (goal-is-open)").replace(
        "(:action pass",
        "(:action goal-is-open- :parameters () :effect (goal-is-open))\n(:action pass",
    )
    world = Files().world(*paths(tmp_path, domain=domain, problem=ALWAYS))
    assert "(goal-is-open-)" in world.task.operator_names
    assert len(world.task.operator_names) == 3


def test_a_changed_file_stands_for_the_other(tmp_path: Path) -> None:
    domain, problem = paths(tmp_path)
    files = Files()
    text = DOMAIN.replace("(not (on ?l)) (on ?m)", "(on ?m)").encode()
    changed = files.with_changed(domain, Document(str(domain), text, parse(text, str(domain))))
    assert changed.pddl(domain, problem).given.domain == text
    assert files.pddl(domain, problem).given.domain == DOMAIN.encode()
    assert changed.document(problem) is files.document(problem)


def test_the_error_keeps_what_it_knows_between_processes() -> None:
    again = pickle.loads(pickle.dumps(TrivialGoalError("so", holds=True)))
    assert str(again) == "so" and again.holds
