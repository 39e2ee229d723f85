"""The causes of bugs: their keys by how runs end, groups of them, and words."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import bugsieve
from bugsieve import _native
from bugsieve.campaigns.cost.records import CostRecords
from bugsieve.explanation.causes import cost
from bugsieve.explanation.causes.cost import cause_of
from bugsieve.explanation.causes.groups import BugInGroup, grouped
from bugsieve.explanation.causes.tree import where
from bugsieve.explanation.causes.words import in_words
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.bugs.cause import UNNAMED, Cause, LiftedStep, cause_from
from bugsieve.pipeline.bugs.certificate import certificate_of
from bugsieve.pipeline.objectives import make_objective
from bugsieve.policies.decisions import Decisions, Ending, Failure
from bugsieve.rooms.jani.model.types import Type
from bugsieve.rooms.jani.model.variables import ModelVariable
from bugsieve.rooms.zoo.domains import generate
from bugsieve.tasks.grounded.task import NO_ACTION, StateArray, Task
from tests.reference.sas import SasEffect, SasOperator, SasTask, SasVariable
from tests.unit.bugs.samples import LONG, fork_task, line_bench, make_sample, proven
from tests.unit.policies.line import as_task, at, line_task
from tests.unit.results.samples import CAUSE, add, created, rounds

LOOP = Cause("loop", (LiftedStep("drop"), LiftedStep("pick-up", "achieves")))


def task_of(domain: str, folder: Path, seed: int) -> Task:
    made = generate(domain, seed=seed)
    files = folder / f"{seed}-domain.pddl", folder / f"{seed}-problem.pddl"
    for file, text in zip(files, (made.domain, made.problem), strict=True):
        file.write_text(text)
    return bugsieve.load_task(*files)


def line_cause(bench: Bench, place: int) -> Cause:
    """The cause of the bug at a place of the line, by the way to the right."""
    state, last = at(place)[0], bench.task.goal[0][1]
    plan = tuple(bench.task.operator_id(f"right p{here}") for here in range(place, last))
    return cause_of(bench, certificate_of(bench, state, proven(bench, state, plan)))


def test_a_loop_is_the_step_to_blame() -> None:
    bench = line_bench(line_task(6), {0: "right", 1: "right", 2: "left", 3: "left"})
    causes = [line_cause(bench, place) for place in (0, 1, 2, 3)]
    assert causes[0] == Cause("loop", (LiftedStep("left"),))
    assert len(set(causes)) == 1
    assert in_words(causes[0]) == "loop of left and right by left"


def test_a_loop_without_a_step_to_blame_is_the_set_of_its_steps() -> None:
    task = line_task(6, right_costs=[0] * 5, left_cost=0)
    bench = line_bench(task, {0: "right", 1: "right", 2: "left", 3: "left"})
    causes = {line_cause(bench, place) for place in (0, 1, 2, 3)}
    assert causes == {Cause("loop", (LiftedStep("left"), LiftedStep("right")))}


def test_a_loop_in_a_dead_end_is_the_step_into_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both halves of a key can be had, but not at once: only search sees that."""
    task = trap_task()
    go, tick, tock, win = (task.operator_id(name) for name in ("go", "tick", "tock", "win"))

    class Trapped:
        spec = "trapped"

        def choose(self, states: StateArray) -> np.ndarray:
            return np.array([(tock if s[1] else tick) if s[0] else go for s in states.tolist()])

    bench, state = Bench(task, Trapped(), make_objective("quantitative", task)), task.initial_state
    certificate = certificate_of(bench, state, proven(bench, state, (win,)))
    assert certificate["run"]["ending"] == "loop"
    end = np.array([[1, 0, 0]], dtype=np.uint16)
    assert task.heuristic("hmax").evaluate(end)[0] != _native.DEAD_END
    expected = Cause("dead end", (LiftedStep("go"),))
    assert cause_of(bench, certificate) == expected
    monkeypatch.setattr(cost, "exact_costs_of", lambda task: None)
    monkeypatch.setattr(cost, "costs_for", lambda bench: None)
    assert cause_of(bench.afresh(), certificate) == expected


def trap_task() -> Task:
    """Behind `go`, one of two facts can be had at a time, and the goal asks for both."""
    names = (
        ("Atom at(a)", "Atom at(b)", "Atom won()"),
        ("Atom x()", "Atom y()"),
        ("Atom f()", "Atom g()"),
    )
    return as_task(
        SasTask(
            metric=False,
            variables=tuple(SasVariable(f"var{n}", facts) for n, facts in enumerate(names)),
            mutexes=(),
            initial=(0, 0, 0),
            goal=((1, 1), (2, 1)),
            operators=(
                SasOperator("go", (), (SasEffect((), 0, 0, 1),), 1),
                SasOperator("win", ((0, 0),), (SasEffect((), 1, 0, 1), SasEffect((), 2, 0, 1)), 1),
                SasOperator("tick", ((0, 1), (2, 0)), (SasEffect((), 1, 0, 1),), 1),
                SasOperator("tock", ((0, 1),), (SasEffect((), 1, 1, 0),), 1),
                SasOperator("flip", ((0, 1), (1, 0)), (SasEffect((), 2, 0, 1),), 1),
                SasOperator("flop", ((0, 1),), (SasEffect((), 2, 1, 0),), 1),
            ),
        ),
        name="trap",
    )


def test_a_stop_is_its_open_goals() -> None:
    bench = line_bench(line_task(6), {0: "right"})
    assert line_cause(bench, 0) == line_cause(bench, 3) == Cause("no action", (), ("at",))


def test_a_detour_is_the_step_to_blame() -> None:
    task = fork_task()
    stray, back, go = (task.operator_id(name) for name in ("stray", "return", "go"))

    class Strays:
        spec = "strays"

        def choose(self, states: StateArray) -> np.ndarray:
            return np.array([{0: stray, 1: back}.get(s[0], NO_ACTION) for s in states.tolist()])

    bench = Bench(task, Strays(), make_objective("quantitative", task))
    state = task.initial_state
    cause = cause_of(bench, certificate_of(bench, state, proven(bench, state, (go,))))
    assert cause == Cause("costly", (LiftedStep("stray"),))


def test_actions_that_are_none_and_crashes() -> None:
    task = line_task(4)

    class Fails:
        spec = "fails"

        def decide(self, states: StateArray) -> Decisions:
            trace = 'Traceback:\n  File "/somewhere/mine.py", line 7, in f\n    x\nKeyError: 1'
            crash = Failure(Ending.POLICY_CRASH, "KeyError: 1", trace=trace)
            left = task.operator_id("left p2")
            return Decisions.of(crash if s[0] else left for s in states.tolist())

        choose = None

    bench = Bench(task, Fails(), make_objective("quantitative", task))  # type: ignore[arg-type]
    assert line_cause(bench, 0) == Cause("illegal action", (), ("left",))
    assert line_cause(bench, 1) == Cause("policy crash", (), ("KeyError", "mine.py:7"))


@pytest.mark.parametrize(
    ("detail", "raised"),
    [
        ("KeyError: ('at', 'b1'), in the state after (go b1)", "KeyError"),
        ("MyError", "MyError"),
        ("MyError, in the state after (go b1)", "MyError"),
        ("ended with exit code 3: b1: unknown", "ended with exit code 3"),
        ("killed by SIGSEGV, in the state after (go b1)", "killed by SIGSEGV"),
        ("returned ('go', 'b1'), neither an action name nor None", "no usable answer"),
        ("answered the weight -1", "no usable answer"),
        ("b1: a word of the program's own", "no usable answer"),
    ],
)
def test_a_crash_names_no_objects(detail: str, raised: str) -> None:
    class Fails:
        spec = "fails"

        def decide(self, states: StateArray) -> Decisions:
            return Decisions.of([Failure(Ending.POLICY_CRASH, detail)] * len(states))

        choose = None

    task = line_task(4)
    bench = Bench(task, Fails(), make_objective("quantitative", task))  # type: ignore[arg-type]
    assert line_cause(bench, 0) == Cause("policy crash", (), (raised, ""))


@pytest.mark.parametrize("objective", ["quantitative", "qualitative", "avoid"])
def test_every_bug_has_a_cause_and_always_the_same(objective: str) -> None:
    bugs = 0
    for seed in range(60):
        sample = make_sample(seed, shape=LONG, objective=objective)
        for state, verdict in sample.bugs():
            certificate = certificate_of(sample.bench, state, verdict)
            cause = cause_of(sample.bench, certificate)
            assert cause == cause_of(sample.bench.afresh(), certificate) != UNNAMED
            assert cause_from(cause.key) == cause and in_words(cause)
            bugs += 1
    assert bugs > 20


def test_keys_and_names_are_for_good() -> None:
    assert LOOP.key == '["loop",[["drop",""],["pick-up","achieves"]],[]]'
    assert LOOP.id == "39fb1745"
    assert replace(LOOP, traits=("drops a ball",)) == LOOP
    assert cause_from(LOOP.key) == LOOP


@pytest.mark.parametrize(
    "key", ["", "[]", '["loop",[],[],[]]', '["loop",[["go"]],[]]', "[1,[],[]]", '["x",[],[1]]']
)
def test_keys_of_others_are_checked(key: str) -> None:
    with pytest.raises(ValueError, match="JSON|Expecting"):
        cause_from(key)


def test_instances_of_a_domain_share_causes(tmp_path: Path) -> None:
    found = []
    for seed in (1, 2):
        task = task_of("gripper", tmp_path, seed)
        folder = tmp_path / f"campaign-{seed}"
        bugsieve.find_bugs(task, "greedy:hff", folder=folder, max_bugs=5, seed=seed)
        with CostRecords(folder) as records:
            found.append({group.cause.id for group in records.causes()})
    assert found[0] == found[1] != set()


def test_an_improved_bug_moves_in_its_own_transaction(tmp_path: Path) -> None:
    first, second = rounds(2)
    (row, *_) = [bug for finding in first.findings for bug in finding.bugs]
    other = Cause("costly", (LiftedStep("drop"),))
    folder = add(created(tmp_path / "c"), first)
    with CostRecords(folder) as records:
        assert [group.cause for group in records.causes()] == [CAUSE]
    moved = replace(row, cause=replace(other, traits=("drops a ball",)), changed=9)
    add(folder, replace(second, findings=[replace(second.findings[0], improved=(moved,))]))
    with CostRecords(folder) as records:
        _, group = records.causes()
        assert (group.cause, group.count, group.example) == (other, 1, row.id)
        assert group.cause.traits == ("drops a ball",)


def test_groups_share_traits_and_show_the_smallest() -> None:
    members = [
        BugInGroup("b", 3, replace(LOOP, traits=("one", "two"))),
        BugInGroup("a", 3, replace(LOOP, traits=("two", "three"))),
        BugInGroup("c", 1, Cause("costly", (LiftedStep("drop"),))),
        BugInGroup("d", 5, Cause("costly", (LiftedStep("drop", "destroys"),))),
    ]
    loop, other = grouped(members)
    assert (loop.cause, loop.cause.traits, loop.example) == (LOOP, ("two",), "a")
    assert [(group.count, group.example) for group in loop.also] == [(1, "c")]
    assert (loop.total, other.example, other.also) == (3, "d", ())
    assert grouped(reversed(members)) == [loop, other]


@pytest.mark.parametrize(
    ("cause", "words"),
    [
        (replace(LOOP, traits=("x",)), "loop of drop and pick-up (reaches a goal): x"),
        (Cause("costly", (LiftedStep("go", "destroys"),)), "costly by go (undoes a goal)"),
        (Cause("dead end"), "dead end"),
        (Cause("no action", (), ("at", "on")), "no action while goals of 'at' and 'on' are open"),
        (Cause("illegal action"), "illegal action: one that does not exist"),
        (Cause("policy crash", (), ("KeyError", "f.py:3")), "policy crash: KeyError at f.py:3"),
        (Cause("rule violated", (LiftedStep("go"),), ("FR-1",)), "violates FR-1 by go"),
        (Cause("fault", (), ("go", "stay", "a = on")), "does go where stay is safe in a = on"),
        (Cause("fault"), "does  where  is safe"),
        (Cause("policy hang\x1b"), "policy hang\\x1b"),
    ],
)
def test_words(cause: Cause, words: str) -> None:
    assert in_words(cause) == words


def test_traits_tell_of_objects_and_goals(tmp_path: Path) -> None:
    task = task_of("gripper", tmp_path, 1)

    @bugsieve.policy
    def juggler(facts: frozenset[str], applicable: list[str]) -> str | None:
        drops = [action for action in applicable if action.startswith("(drop")]
        return (drops or [action for action in applicable if action.startswith("(pick")])[0]

    folder = tmp_path / "campaign"
    bugsieve.find_bugs(task, juggler, folder=folder, max_bugs=3)
    with CostRecords(folder) as records:
        words = [in_words(group.cause) for group in records.causes()]
    assert "loop of drop and pick by drop: 'drop' with a ball that is not at its goal" in words


def test_a_tree_says_where_faults_are() -> None:
    kinds = [Type("int", 0, 9), Type("bool", 0, 1), Type("real", 0, 1)]
    variables = [ModelVariable(name, kind) for name, kind in zip("xyz", kinds, strict=True)]
    states = np.array([[x, y, 0.5] for x in range(10) for y in (0, 1)], dtype=np.float64)
    is_fault = (states[:, 0] >= 4) & (states[:, 1] == 0)
    words = where(variables, states[is_fault], states[~is_fault])
    assert words == "at x ≥ 4 and not y (accuracy 100 %)"
    assert where(variables, states[::2][:2], states) == ""  # too few to tell
    assert where(variables, states, states) == ""
