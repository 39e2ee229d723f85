"""Smallest examples on random tasks of our domains, looked at by other means."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from bugsieve import find_bugs, make_policy, policy
from bugsieve.base.errors import InputError
from bugsieve.base.seeds import Stream
from bugsieve.checkers.cost import check_bug
from bugsieve.explanation.blame.blame import blame
from bugsieve.explanation.causes.cost import LIMITS, cause_of
from bugsieve.explanation.examples.smallest import SmallestExample, smallest_example
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.bugs.bug import Bug, make_bug
from bugsieve.pipeline.bugs.cause import Cause
from bugsieve.pipeline.objectives import make_objective
from bugsieve.pipeline.oracles.registry import make_oracle
from bugsieve.policies.policy import NoPolicy, Policy
from bugsieve.rooms.zoo.domains import generate
from bugsieve.tasks.grounded.fewer_objects import FewerObjects, objects_of
from bugsieve.tasks.grounded.loading import load_task
from bugsieve.tasks.grounded.task import Task
from bugsieve.tasks.grounded.translator import WarmTranslator
from tests.depth import examples
from tests.unit.faults.ferryman import choose

FERRYMAN = policy(choose)

SAMPLES: list[tuple[str, dict[str, int], str]] = [
    ("ferry", {"cars": 3, "locations": 3}, "ferryman"),
    ("transport", {"packages": 2, "nodes": 3, "vehicles": 2, "capacity": 1}, "greedy:hff"),
    ("blocksworld", {"blocks": 5}, "greedy:hmax"),
    ("gripper", {"balls": 3}, "hill-climbing:hmax"),
    ("spanner", {"spanners": 2, "nuts": 2, "locations": 2}, "greedy:hadd"),
]


def policy_for(spec: str, task: Task) -> Policy:
    return FERRYMAN.bind(task) if spec == "ferryman" else make_policy(spec, task)


def bench_of(spec: str, task: Task) -> Bench:
    return Bench(task, policy_for(spec, task), make_objective("quantitative", task))


@contextmanager
def remade(bench: Bench) -> Iterator[Bench]:
    yield bench


def words(atom: str) -> set[str]:
    return set(atom.strip("()").split()[1:])


def test_examples_of_random_bugs(tmp_path: Path) -> None:
    left_out = 0
    for number in range(examples(40, quick=len(SAMPLES))):
        domain, parameters, spec = SAMPLES[number % len(SAMPLES)]
        texts = generate(domain, seed=number, **parameters)
        (tmp_path / "domain.pddl").write_text(texts.domain)
        (tmp_path / "problem.pddl").write_text(texts.problem)
        task = load_task(tmp_path, cache=False)
        bugs = find_bugs(task, policy_for(spec, task), pool_size=12, seed=number)
        if bugs:
            example = checked_example(task, Stream(number, "bug").choice(bugs), spec)
            left_out += example.objects_before - example.objects
    assert left_out >= examples(25, quick=4)


def checked_example(task: Task, bug: Bug, spec: str) -> SmallestExample:
    silent = Bench(task, NoPolicy(), make_objective("quantitative", task))
    example = smallest_example(silent, bug, lambda task: remade(bench_of(spec, task)))
    cause = cause_of(silent, bug.certificate)
    check_bug(example.task.to_sas(), example.bug.to_json())
    assert example.objects <= example.objects_before == len(objects_of(task))
    if not example.is_new_problem:
        assert example.kept is not None and example.task is task
        return example
    bench = bench_of(spec, example.task)
    assert cause_of(bench, example.bug.certificate) == cause
    assert example.kept is None and example.objects == len(objects_of(example.task))
    check_facts(task, example)
    check_minimal(task, bug, example, cause, lambda task: bench_of(spec, task))
    return example


def check_facts(task: Task, example: SmallestExample) -> None:
    """Of facts of which one is always true, one is; a goal is left, and no constant is gone."""
    new = example.task
    facts = new.facts(new.initial_state)
    kept = set(new.objects)
    assert task.pddl is not None and set(task.pddl.constants) <= kept
    for atoms in (variable.facts for variable in task.variables):
        if None in atoms:
            continue
        owners = set.intersection(*(words(str(atom)) for atom in atoms))
        if owners <= kept:
            assert len(facts.intersection(map(str, atoms))) == 1, atoms
    assert new.goal_facts and not new.is_goal(new.initial_state)[0]
    assert set(new.goal_facts) <= set(task.goal_facts)
    assert all(words(fact) <= kept for fact in facts)


def check_minimal(
    task: Task,
    bug: Bug,
    example: SmallestExample,
    cause: Cause,
    bench_for: Callable[[Task], Bench],
) -> None:
    """No other object can be left out: nothing like the bug is there without it."""
    state = np.array(bug.certificate["state"], dtype=np.uint16)
    initial = example.task.facts(example.task.initial_state)
    fewer = FewerObjects(task, state).at(initial)
    gone = set(objects_of(task)) - set(objects_of(example.task))
    for name in objects_of(example.task):
        dropped = fewer.closed({*gone, name})
        if dropped is None:
            continue
        try:
            with WarmTranslator() as translator:
                smaller = fewer.task(dropped, example.task.name, translator)
        except InputError:
            continue
        assert not shows(bench_for(smaller), cause), (name, dropped)


def shows(bench: Bench, cause: Cause) -> bool:
    """Whether the first decision of the policy's run is a bug of this cause."""
    state = bench.task.initial_state
    (verdict,) = make_oracle("perfect", bench).judge(bench.suspects(state))
    if not verdict.is_bug:
        return False
    certificate = make_bug(bench, state, verdict, oracle="perfect").certificate
    is_same = cause_of(bench, certificate) == cause
    return is_same and blame(bench, certificate, limits=LIMITS).index == 0
