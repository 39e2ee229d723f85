"""`--test-states CONDITION`: every test state satisfies it, and walks pass through the others."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from bugsieve.base.errors import InputError
from bugsieve.campaigns.cost.records import CostRecords
from bugsieve.campaigns.python_calls.find import find_bugs
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.biases import Bias, BiasResult
from bugsieve.pipeline.objectives import make_objective
from bugsieve.pipeline.pool import selection as selection_module
from bugsieve.pipeline.pool.novelty import make_filter
from bugsieve.pipeline.pool.pool import Pool
from bugsieve.pipeline.pool.selection import Passing, Selected, selected_starts, selection
from bugsieve.policies.registry import make_policy
from bugsieve.tasks.grounded.task import StateArray, Task
from tests.unit.campaigns.contents import contents
from tests.unit.cli.commands import Run
from tests.unit.cli.conftest import run as run  # the fixture
from tests.unit.policies.generated import generated_task, write_task

EMPTY = "(empty-ferry)"
LOADED = "(exists (?c - car) (on ?c))"


@pytest.fixture(scope="module")
def task(tmp_path_factory: pytest.TempPathFactory) -> Task:
    return generated_task(tmp_path_factory.mktemp("ferry"), "ferry", cars=2, locations=3, seed=1)


def holds(task: Task, text: str, states: StateArray) -> list[bool]:
    """A twin that reads facts instead of variables."""
    empty = ["(empty-ferry)" in task.facts(state) for state in states]
    return empty if text == EMPTY else [not value for value in empty]


@pytest.mark.parametrize("condition", [EMPTY, LOADED])
@pytest.mark.parametrize("bias", ["policy-quality", "uniform", "loopiness"])
@pytest.mark.parametrize("along_runs", [False, True])
def test_all_test_states_satisfy_it(
    tmp_path: Path, task: Task, condition: str, bias: str, along_runs: bool
) -> None:
    folder = tmp_path / "c"
    find_bugs(
        task,
        "greedy:hff",
        folder=folder,
        pool_size=15,
        bias=bias,
        along_runs=along_runs,
        test_states=condition,
    )
    with CostRecords(folder) as records:
        states = records.pool().states
    assert len(states) == 15
    assert all(holds(task, condition, states))


class Numbered(Bias):
    """Weighs the successors by their first value, and offers those of weight 0."""

    usage = "numbered"

    def weights(self, successors: StateArray, offsets: NDArray[np.int64]) -> BiasResult:
        assert offsets[0] == 0 and offsets[-1] == len(successors)
        values = successors[:, 0].astype(np.int64)
        return BiasResult(values, values == 0)


@given(cuts=st.lists(st.integers(0, 40), max_size=12), seed=st.integers(0, 99))
@settings(max_examples=60, deadline=None, derandomize=True, database=None)
def test_other_states_weigh_as_much_as_the_rest(task: Task, cuts: list[int], seed: int) -> None:
    bench = Bench(task, make_policy("random", task), make_objective("quantitative", task))
    states = task.initial_state[None]
    for _ in range(3):
        states = np.unique(np.concatenate([states, task.all_successors(states)[0]]), axis=0)
    states = states[np.random.default_rng(seed).integers(0, len(states), 40)]
    offsets = np.array([0, *sorted(cuts), 40])
    said = Passing(Numbered(bench), selection(task, EMPTY)).weights(states, offsets)
    kept = holds(task, EMPTY, states)
    assert said.insert is not None
    for begin, end in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
        own = [int(states[n, 0]) for n in range(begin, end) if kept[n]]
        mean = max(1, sum(own) // max(1, len(own)))
        for n in range(begin, end):
            assert said.weights[n] == (states[n, 0] if kept[n] else mean)
            assert said.insert[n] == (kept[n] and states[n, 0] == 0)


def test_what_does_not_satisfy_it_stays_new(task: Task) -> None:
    pool = Pool(task)
    pool.add(task.initial_state)
    states, _, _ = task.all_successors(task.all_successors(task.initial_state)[0])
    condition = selection(task, EMPTY)
    kept = condition.holds(states)
    assert kept.any() and not kept.all()
    chosen = Selected(make_filter(pool, 2), condition)
    assert not chosen.would_admit(states)[~kept].any()
    assert not chosen.admit(states)[~kept].any()
    other = Selected(make_filter(pool, 2), selection(task, LOADED))
    assert other.admit(states)[~kept].any()


def test_a_pool_may_begin_elsewhere(task: Task) -> None:
    initial = task.initial_state[None]
    assert selected_starts(selection(task, EMPTY), initial).tolist() == initial.tolist()
    (start,) = selected_starts(selection(task, LOADED), initial)
    assert "(empty-ferry)" not in task.facts(start)
    below = task.all_successors(initial)[0]
    near = [state for state in below if "(empty-ferry)" not in task.facts(state)]
    assert not near or start.tolist() in [state.tolist() for state in near]


def test_none_is_said_plainly(task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    both = "(and (on car1) (on car2))"
    initial = task.initial_state[None]
    with pytest.raises(InputError, match=r"holds in none of the \d+ states that can be reached"):
        selected_starts(selection(task, both), initial)
    monkeypatch.setattr(selection_module, "_MOST_STATES", 10)
    with pytest.raises(InputError, match=r"around the start; name states .* \(--from\)"):
        selected_starts(selection(task, both), initial)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("(empty-fery)", "did you mean 'empty-ferry'"),
        ("(empty-ferry", "a '\\(' is never closed"),
        ("", "one formula was expected"),
        ("(= car1 car1)", "it holds in every state, so it tells no test states apart"),
        ("(= car1 car2)", "it never holds, so it tells no test states apart"),
    ],
)
def test_conditions_that_are_wrong(task: Task, text: str, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        selection(task, text)


def test_a_campaign_keeps_it(tmp_path: Path, run: Run) -> None:
    files = write_task(tmp_path, "ferry", cars=2, locations=3, seed=1)
    given = ("--policy", "random:1", "--pool-size", 25, "--test-states", LOADED)
    whole, cut, again = (tmp_path / name for name in ("whole", "cut", "again"))
    code, out, _ = run("test", *files, *given, "-o", whole)
    assert code == 1 and f"test states with {LOADED}, seed 0" in out
    run("test", *files, *given, "--max-bugs", 1, "-o", cut)
    assert run("resume", cut, "--max-bugs", 10**6)[0] == 1
    assert contents(cut)["pool"] == contents(whole)["pool"]
    assert contents(cut)["bugs"] == contents(whole)["bugs"]
    assert run("test", "--from", whole, "-o", again)[0] == 1
    assert contents(again)["bugs"] == contents(whole)["bugs"]
    none = (*files, *given[:4], "--test-states", "(and (on car1) (on car2))")
    code, _, err = run("test", *none, "-o", tmp_path / "none")
    assert code == 4 and "no test states: (and (on car1) (on car2)) holds in none" in err
    assert not (tmp_path / "none").exists()


def test_it_is_an_option_of_fuzzers_in_experiments(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("grid.toml").write_text(
        'policies = ["greedy:hff"]\noracles = ["lookahead"]\n'
        f'[fuzzers.empty]\npool_size = 5\ntest_states = "{EMPTY}"\n'
        f'[fuzzers.loaded]\npool_size = 5\ntest_states = "{LOADED}"\n'
        '[[domains]]\ngenerator = "ferry"\n'
    )
    assert run("experiment", "grid.toml")[0] == 0
    for name, is_empty in (("empty", True), ("loaded", False)):
        (folder,) = Path("grid").glob(f"*/*/*_{name}_*")
        with CostRecords(folder) as records:
            task = records.header.subject.load()
            states = records.pool().states
        assert holds(task, EMPTY, states) == [is_empty] * 5
