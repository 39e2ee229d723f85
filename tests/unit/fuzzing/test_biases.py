"""Each bias on tasks where its weights can be worked out by hand, and the registry of names."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from bugsieve.base.errors import UsageError
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.biases import BIASES, check_bias, make_bias, rows
from bugsieve.pipeline.biases.detour import Detour
from bugsieve.pipeline.biases.loopiness import Loopiness
from bugsieve.pipeline.biases.scores import ENDLESS, NEVER, weights_of
from bugsieve.pipeline.biases.surface import Surface
from bugsieve.pipeline.biases.traces import TraceBias, follow
from tests.unit.fuzzing.tasks import bench, line_bench
from tests.unit.policies.line import at, line_task


def weights(spec: str, one: Bench, *places: int) -> list[int]:
    """The weights of these places as successors of one walk."""
    result = make_bias(spec, one).weights(at(*places), np.array([0, len(places)]))
    return [int(weight) for weight in result.weights]


def score(bias: TraceBias, place: int) -> int:
    """The score of the trace from a place."""
    runs = bias.bench.runs(at(place))
    traces = follow(bias.bench.graph, runs.ids, np.minimum(runs.steps, bias.horizon))
    return int(bias.scores(traces)[0])


@pytest.mark.parametrize("name", sorted(BIASES))
def test_every_name_makes_a_bias(name: str) -> None:
    bias = make_bias(name, line_bench(4))
    assert bias.spec.partition(":")[0] == name
    result = bias.weights(at(1, 2), np.array([0, 2]))
    assert result.weights.dtype == np.int64
    assert (result.weights >= 0).all()
    empty = bias.weights(at(), np.array([0, 0]))
    assert empty.weights.tolist() == []


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("policy-qualty", r"no bias 'policy-qualty' \(did you mean 'policy-quality'\?\)"),
        ("", "no bias ''; there are uniform, policy-quality"),
        ("heuristic:hfff", r"no heuristic 'hfff' \(did you mean 'hff'\?\)"),
        ("surface:3", "the bias 'surface' takes no argument, but got '3'"),
        ("uniform:", "the bias 'uniform' takes no argument, but got ''"),
    ],
)
def test_a_wrong_name_gets_a_sentence(spec: str, message: str) -> None:
    for refuse in (check_bias, lambda name: make_bias(name, line_bench(3))):
        with pytest.raises(UsageError, match=message):
            refuse(spec)


def test_uniform() -> None:
    assert weights("uniform", line_bench(5), 0, 2, 4) == [1, 1, 1]


def test_policy_quality_counts_steps_to_the_goal() -> None:
    task = line_task(5, right_costs=[1, 1, 7, 1])
    one = bench(task, lambda place: place)
    assert weights("policy-quality", one, 0, 2, 4) == [4, 2, 0], "steps, not costs"


def test_policy_quality_offers_what_the_policy_does_not_solve() -> None:
    def choice(place: int) -> int:
        return {0: -1, 1: 99, 2: 2, 3: 5}.get(place, place)  # nothing, illegal, a loop of 2 and 3

    one = line_bench(7, choice)
    bias = make_bias("policy-quality", one)
    result = bias.weights(at(0, 1, 2, 3, 4, 6), np.array([0, 6]))
    assert result.weights.tolist() == [0, 0, 0, 0, 2, 0]
    assert result.insert is not None
    assert result.insert.tolist() == [True, True, True, True, False, False]


def test_policy_quality_takes_a_step_limit_for_a_failure() -> None:
    task = line_task(9)
    one = Bench(task, line_bench(9).policy, line_bench(9).objective, step_limit=3)
    result = make_bias("policy-quality", one).weights(at(4, 5), np.array([0, 2]))
    assert result.weights.tolist() == [0, 3]
    assert result.insert is not None
    assert result.insert.tolist() == [True, False]


def test_heuristic_prefers_what_is_far() -> None:
    assert weights("heuristic", line_bench(6), 0, 3, 5) == [5, 2, 0]
    one_way = bench(line_task(4), lambda place: place)
    assert weights("heuristic:blind", one_way, 0, 3) == [1, 0]


def test_loopiness_is_how_nearly_the_trace_returns() -> None:
    task = line_task(6, right_costs=[1, 1, 1, 9, 1], left_cost=4)
    one = bench(task, lambda place: place)
    # The best way back is from 4 to 3: 9 was paid for the step there, 4 leads back.
    assert score(Loopiness(one), 0) == 9 - 4
    assert score(Loopiness(one), 4) == 1 - 4
    assert score(Loopiness(one, horizon=2), 0) == 1 - 4
    assert score(Loopiness(one), 5) == NEVER, "no step, no pair"


def test_a_loop_counts_in_full() -> None:
    def choice(place: int) -> int:
        return 6 if place == 2 else place  # from 2 back to 1: (left p2)

    one = line_bench(6, choice)
    assert one.task.operator_names[6] == "(left p2)"
    assert score(Loopiness(one), 0) == 2, "1, 2, 1"
    assert score(Detour(one), 0) == 2
    assert score(Loopiness(one, horizon=2), 0) == 0


def test_detour_is_what_was_paid_for_nothing() -> None:
    def choice(place: int) -> int:
        return 8 + place - 1 if place == 3 else place  # (left p3), then right again, for ever

    one = line_bench(9, choice)
    assert score(Detour(one), 0) == 2
    assert score(Detour(one), 8) == NEVER
    assert score(Detour(line_bench(9)), 0) == 0


def test_surface_is_how_much_the_distance_falls_short() -> None:
    def choice(place: int) -> int:
        return 8 + place - 1 if place == 3 else place

    assert score(Surface(line_bench(9)), 0) == 0, "each step pays off"
    assert score(Surface(line_bench(9, choice)), 0) == 2, "a step back costs 1 and loses 1"
    assert score(Surface(line_bench(9)), 8) == NEVER


def test_traces_that_fail_are_taken_as_they_are() -> None:
    one = line_bench(9, lambda place: -1 if place == 3 else place)
    assert [score(Detour(one), place) for place in (0, 3)] == [0, NEVER]


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ([], []),
        ([5], [5]),
        ([3, 0, 2], [3, 0, 2]),
        ([3, -2, 0], [5, 0, 2]),
        ([0, 0], [1, 1]),
        ([-4, -4], [1, 1]),
        ([-4, NEVER, -3], [0, 0, 1]),
        ([NEVER, NEVER], [0, 0]),
        ([0, NEVER], [1, 0]),
        ([9, ENDLESS, NEVER, ENDLESS, -3], [0, 1, 0, 1, 0]),
    ],
)
def test_scores_become_weights(scores: list[int], expected: list[int]) -> None:
    array = np.array(scores, dtype=np.int64)
    assert weights_of(array, np.array([0, len(scores)])).tolist() == expected
    # Each walk on its own, walks without successors among them.
    both = np.concatenate([array, [7, -7], array])
    n = len(scores)
    offsets = np.array([0, 0, n, n, n + 2, 2 * n + 2, 2 * n + 2])
    assert weights_of(both, offsets).tolist() == [*expected, 14, 0, *expected]


@pytest.mark.parametrize("kind", [Loopiness, Detour])
def test_forgotten_rows_are_computed_again(
    kind: Callable[[Bench], TraceBias], monkeypatch: pytest.MonkeyPatch
) -> None:
    one = bench(line_task(70, right_costs=[1 + i % 7 for i in range(69)]), lambda place: place)
    batches = [at(*range(low, high)) for low, high in [(60, 69), (50, 60), (45, 50), (0, 45)]]
    remembering = kind(one)
    whole = [remembering.weights(part, np.array([0, len(part)])) for part in batches]
    monkeypatch.setattr(rows, "_MOST_CELLS", 60 * 50)
    forgetting = kind(one)
    for part, expected in zip(batches, whole, strict=True):
        found = forgetting.weights(part, np.array([0, len(part)]))
        assert found.weights.tolist() == expected.weights.tolist()
