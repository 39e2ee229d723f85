"""The smallest example of a bug, where one can see what it is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bugsieve import policy
from bugsieve.base.errors import PolicyError
from bugsieve.checkers.cost import check, check_bug
from bugsieve.explanation.blame.blame import blame
from bugsieve.explanation.causes.cost import cause_of
from bugsieve.explanation.examples.shrinking import ShrinkingBudget
from bugsieve.explanation.examples.smallest import FROM_SAS, smallest_example
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.bugs.bug import Bug, FoundBy, make_bug
from bugsieve.pipeline.objectives import make_objective
from bugsieve.pipeline.oracles.registry import make_oracle
from bugsieve.policies.policy import NoPolicy
from bugsieve.rooms.zoo.domains import generate
from bugsieve.tasks.grounded.fewer_objects import objects_of
from bugsieve.tasks.grounded.loading import load_task
from bugsieve.tasks.grounded.task import StateArray, Task
from tests.unit.bugs.samples import line_bench, proven
from tests.unit.faults.ferryman import choose
from tests.unit.policies.line import at, line_task

FERRYMAN = policy(choose)


@contextmanager
def ferryman(task: Task) -> Iterator[Bench]:
    yield Bench(task, FERRYMAN.bind(task), make_objective("quantitative", task))


@pytest.fixture
def task(tmp_path: Path) -> Task:
    texts = generate("ferry", cars=4, locations=4, seed=2)
    (tmp_path / "domain.pddl").write_text(texts.domain)
    (tmp_path / "problem.pddl").write_text(texts.problem)
    return load_task(tmp_path)


def state_of(task: Task, ferry: str, **places: str) -> StateArray:
    facts = [f"(at {car} {place})" for car, place in places.items()]
    return task.state(["(empty-ferry)", f"(at-ferry {ferry})", *facts])


def found(task: Task, state: StateArray) -> Bug:
    with ferryman(task) as bench:
        (verdict,) = make_oracle("perfect", bench).judge(bench.suspects(state))
        return make_bug(bench, state, verdict, oracle="perfect")


def silent(task: Task) -> Bench:
    """The bench of whoever only reads what was found."""
    return Bench(task, NoPolicy(), make_objective("quantitative", task))


@pytest.fixture
def bug(task: Task) -> Bug:
    """All is well until the ferryman comes to where two cars wait."""
    goals = {fact.strip("()").split()[1]: fact.strip("()").split()[2] for fact in task.goal_facts}
    first, *others = sorted(goals)
    places = sorted(name for name, kind in task.objects.items() if kind == "location")
    start, meeting, *_ = [place for place in places if place != goals[first]]
    return found(task, state_of(task, start, **{first: start, **dict.fromkeys(others, meeting)}))


def test_it_is_as_small_as_can_be(task: Task, bug: Bug) -> None:
    example = smallest_example(silent(task), bug, ferryman)
    certificate = example.bug.certificate
    assert bug.certificate["run"]["ending"] == "loop" and bug.steps > 2
    assert example.is_new_problem and example.kept is None
    # A car aboard, another one in sight, and a goal elsewhere: he lets his own off.
    assert (example.objects_before, example.objects) == (8, 4)
    assert len(objects_of(example.task)) == 4 and len(example.task.goal_facts) >= 1
    assert [name.split()[0] for name in certificate["run"]["actions"]] == ["(debark", "(board"]
    assert certificate["state"] == example.task.initial_state.tolist()
    assert example.bug.found_by == FoundBy(0, None, ())
    assert example.bug.reason.startswith("as bug ")
    check_bug(example.task.to_sas(), example.bug.to_json())
    with ferryman(example.task) as bench:
        assert cause_of(bench, certificate) == cause_of(silent(task), bug.certificate)
        assert blame(bench, certificate).index == 0


def test_way_and_start_are_those_of_the_original(task: Task, bug: Bug) -> None:
    kept = smallest_example(silent(task), bug, "it is bound to its task")
    assert kept.kept == "it is bound to its task" and not kept.is_new_problem
    assert (kept.task, kept.objects, kept.candidates, kept.calls) == (task, 8, 0, 0)
    assert kept.steps_later > 0 and blame(silent(task), kept.bug.certificate).index == 0
    assert kept.bug.found_by is not None and kept.bug.found_by.path is not None
    assert kept.way == tuple(task.operator_names[o] for o in kept.bug.found_by.path)
    check_bug(task.to_sas(), kept.bug.to_json())  # the path leads to its state
    reduced = smallest_example(silent(task), bug, ferryman)
    assert (reduced.way, reduced.steps_later) == (kept.way, kept.steps_later)


def test_it_is_the_same_every_time(task: Task, bug: Bug) -> None:
    first, second = (smallest_example(silent(task), bug, ferryman) for _ in range(2))
    assert first.bug == second.bug and first.task.to_sas() == second.task.to_sas()
    assert first.task.pddl_texts == second.task.pddl_texts
    assert replace(first, task=task) == replace(second, task=task)


def test_candidates_are_the_limit(task: Task, bug: Bug) -> None:
    whole = smallest_example(silent(task), bug, ferryman)
    before = 9
    for most in range(whole.candidates):
        cut = smallest_example(silent(task), bug, ferryman, budget=ShrinkingBudget(most))
        assert cut.candidates == most and cut.kept is not None and f"{most} problem" in cut.kept
        assert cut.is_new_problem == (most > 0) and cut.objects <= before
        check(cut.task.to_sas(), cut.bug.certificate)
        before = cut.objects
    assert smallest_example(
        silent(task), bug, ferryman, budget=ShrinkingBudget(whole.candidates)
    ).bug == (whole.bug)


def test_questions_are_a_limit_too(task: Task, bug: Bug) -> None:
    whole = smallest_example(silent(task), bug, ferryman)
    cut = smallest_example(silent(task), bug, ferryman, budget=ShrinkingBudget(calls=1))
    assert cut.candidates == 1 < whole.candidates and 1 <= cut.calls < whole.calls
    assert cut.kept == "no more than 1 problem was to be tried"
    free = smallest_example(
        silent(task), bug, ferryman, budget=ShrinkingBudget(calls=whole.calls + 1)
    )
    assert free.bug == whole.bug and free.kept is None


def test_what_the_policy_was_asked_is_counted(task: Task, bug: Bug) -> None:
    asked = 0

    @policy
    def counting(facts: frozenset[str], applicable: list[str], view: object) -> str | None:
        nonlocal asked
        asked += 1
        return choose(facts, applicable, view)

    @contextmanager
    def counted(task: Task) -> Iterator[Bench]:
        yield Bench(task, counting.bind(task), make_objective("quantitative", task))

    example = smallest_example(silent(task), bug, counted)
    assert example.calls == asked > 0


def test_a_policy_that_does_not_do_it_again_keeps_all_objects(task: Task, bug: Bug) -> None:
    @contextmanager
    def better(task: Task) -> Iterator[Bench]:
        reformed = policy(lambda facts, applicable: None)
        yield Bench(task, reformed.bind(task), make_objective("quantitative", task))

    example = smallest_example(silent(task), bug, better)
    assert not example.is_new_problem and example.candidates == 1
    assert example.kept is not None and "has no such bug" in example.kept
    check_bug(task.to_sas(), example.bug.to_json())


def test_a_policy_that_cannot_be_made_anew_says_why(task: Task, bug: Bug) -> None:
    @contextmanager
    def gone(task: Task) -> Iterator[Bench]:
        raise PolicyError("net.pt: there is no such file")
        yield

    example = smallest_example(silent(task), bug, gone)
    assert example.kept == "net.pt: there is no such file" and not example.is_new_problem


def test_a_policy_that_changes_its_mind_keeps_all_objects(task: Task, bug: Bug) -> None:
    moods = 0

    @contextmanager
    def moody(task: Task) -> Iterator[Bench]:
        @policy
        def moody(facts: frozenset[str], applicable: list[str], view: object) -> str | None:
            nonlocal moods
            moods += 1
            return choose(facts, applicable, view) if moods % 3 else None

        yield Bench(task, moody.bind(task), make_objective("quantitative", task))

    assert not smallest_example(silent(task), bug, moody).is_new_problem


def test_of_tasks_from_sas_files_all_is_kept() -> None:
    task = line_task(12)
    bench = line_bench(task, {3: "left", 2: "left", 1: "left"})
    detour = (0, 1, 2, 3, task.operator_id("left p4"))
    plan = proven(bench, at(3)[0], tuple(range(3, 11)))
    bug = make_bug(bench, at(3)[0], plan, oracle="x", found_by=FoundBy(4, 2, detour))
    example = smallest_example(bench, bug, ferryman)
    assert (example.kept, example.objects_before, example.is_new_problem) == (FROM_SAS, 0, False)
    assert example.way == ("(right p0)", "(right p1)", "(right p2)")
    assert example.bug.found_by == FoundBy(4, 2, (0, 1, 2))


def test_a_bug_of_which_no_way_is_known_gets_one() -> None:
    task = line_task(12)
    bench = line_bench(task, {3: "right", 4: "left"})
    state = np.array([3], dtype=np.uint16)
    bug = make_bug(bench, state, proven(bench, state, tuple(range(3, 11))), oracle="x")
    example = smallest_example(bench, bug, FROM_SAS)
    assert example.steps_later == 1 and example.way is not None and len(example.way) == 4
    check_bug(task.to_sas(), example.bug.to_json())
