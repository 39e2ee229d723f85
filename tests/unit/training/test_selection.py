"""Scores and selections of models equal those of a naive twin on random trees."""

from __future__ import annotations

from fractions import Fraction

import pytest

from bugsieve.base.errors import UsageError
from bugsieve.base.seeds import Stream
from bugsieve.rooms.training.candidates import Candidate, best, expansions, scores
from bugsieve.rooms.training.selection import (
    CRITERIA,
    EARLY_EPOCHS,
    PI_TEST,
    RANDOM,
    Schedule,
    select_offline,
    select_online,
)
from tests.depth import examples
from tests.unit.training import naive_selection as naive

TASKS = 3


def random_models(rng: Stream) -> list[naive.Model]:
    """A random forest with few values, so that there are many ties; long lines in some."""
    count, is_long = rng.integer(1, 9), rng.integer(0, 9) == 0
    models: list[naive.Model] = []
    for number in range(count * 5 if is_long else count):
        is_random = number == 0 or (not is_long and rng.integer(0, 4) == 0)
        parent = None if is_random else number - 1
        if parent is not None and rng.integer(0, 9 if is_long else 1) == 0:
            parent = rng.integer(0, number - 1)
        states = rng.choice((0, 4, 4, 6))
        train = TASKS if is_long and rng.integer(0, 30) else rng.integer(0, TASKS)
        models.append(
            {
                "number": number,
                "parent": parent,
                "loss": None if parent is None else rng.integer(0, 3) / 2,
                "train": None if parent is None else train,
                "a": rng.integer(0, 2),
                "states": states,
                "solved": rng.integer(0, states),
                "bugs": rng.integer(0, states),
            }
        )
    return models


def candidates_of(models: list[naive.Model]) -> list[Candidate]:
    keys = ("number", "parent", "loss", "train", "a", "states", "solved", "bugs")
    return [Candidate(*(model[key] for key in keys)) for model in models]


def test_scores_and_selections_equal_those_of_the_twin() -> None:
    early = ties = 0
    for number in range(examples(10_000, quick=1_000)):
        rng = Stream(number, "trees")
        models = random_models(rng)
        found, everybody = candidates_of(models), list(range(len(models)))
        if len(models) <= 15:
            wanted = naive.naive_scores(models)
            assert scores(found) == wanted
            ties += len(set(wanted)) < len(wanted)
            most = rng.integer(1, 3)
            allowed = naive.naive_open(models, most)
            assert expansions(found) == [naive.naive_expansions(models, n) for n in everybody]
            schedule = Schedule(model_expansions=most)
            assert select_online(found, schedule, number) == naive.naive_best(
                models, wanted, allowed
            )
            assert select_offline(found, PI_TEST, training_tasks=TASKS) == naive.naive_best(
                models, wanted, everybody
            )
        tests = [rng.integer(0, 3) for _ in models]
        wanted_early = naive.naive_early(models, TASKS, EARLY_EPOCHS)
        early += wanted_early != len(models) - 1
        chosen = {
            name: select_offline(found, name, training_tasks=TASKS, solved_tests=tests)
            for name in CRITERIA
        }
        assert chosen["early"] == wanted_early
        assert chosen["loss"] == naive.naive_first(models, [m["loss"] for m in models], least=True)
        assert chosen["solved"] == naive.naive_first(models, [m["a"] for m in models], least=False)
        assert chosen["test"] == naive.naive_first(models, list(tests), least=False)
    assert early > 5 and ties > 100


def test_a_hand_computed_score() -> None:
    """One of two solves a task; the other has fewer bugs. Without states, shares are 0."""
    models = [
        Candidate(0, None, None, None, 1, 10, 5, 5),
        Candidate(1, 0, 0.5, 1, 0, 10, 0, 4),
        Candidate(2, 1, 0.5, 1, 0, 0, 0, 0),
    ]
    assert scores(models) == [
        (Fraction(1) + 1 + Fraction(1, 2)) / 3,
        (Fraction(0) + 0 + Fraction(6, 10)) / 3,
        Fraction(1, 3),
    ]
    assert scores(models[:2])[1] == Fraction(1, 3)  # anew with every model that is added
    assert best(models) == 0


def test_ties_go_to_more_tasks_then_states_then_fewer_bugs_then_the_older() -> None:
    """Sums of shares may be equal although the parts differ."""
    swapped = [Candidate(0, None, None, None, 1, 8, 4, 0), Candidate(1, 0, 0.0, 1, 2, 8, 0, 0)]
    assert scores(swapped)[0] == scores(swapped)[1] + Fraction(1, 6)
    equal = [Candidate(0, None, None, None, 1, 8, 4, 0), Candidate(1, 0, 0.0, 1, 2, 8, 2, 0)]
    assert scores(equal)[0] == scores(equal)[1] and best(equal) == 1
    same = [Candidate(n, None, None, None, 1, 8, 4, 0) for n in range(3)]
    assert best(same) == 0 and best(same, [1, 2]) == 1


def grown(schedule: Schedule, seed: int) -> list[int | None]:
    """The parents of all models, each tested to be worse than those before it."""
    made: list[Candidate] = []
    while len(made) < schedule.models:
        parent = schedule.following(made, seed)
        made.append(Candidate(len(made), parent, None, None, 100 - len(made), 1, 1, 0))
    return [candidate.parent for candidate in made]


def test_lines_in_the_start_up_phase() -> None:
    parents = grown(Schedule(inits=2, start_epochs=2, main_epochs=0), 0)
    assert parents == [None, 0, 1, None, 3, 4]


def test_line_expands_leaves_and_tree_inner_models() -> None:
    """After start-up all but the leaves have been expanded once."""
    start = [None, 0, 1, None, 3, 4]
    line = Schedule(inits=2, start_epochs=2, main_epochs=3, model_expansions=1)
    assert grown(line, 0) == [*start, 2, 5, 6]
    tree = Schedule(inits=2, start_epochs=2, main_epochs=3, model_expansions=3)
    assert grown(tree, 0) == [*start, 0, 0, 1]


def test_untrained_models_are_candidates_too() -> None:
    assert grown(Schedule(inits=2, start_epochs=0, main_epochs=2), 0) == [None, None, 0, 0]


def test_random_selection_is_uniform_and_numbered() -> None:
    schedule = Schedule(inits=3, start_epochs=1, main_epochs=1, model_expansions=2, online=RANDOM)
    chosen = [grown(schedule, seed)[-1] for seed in range(3000)]
    counts = [chosen.count(number) for number in range(6)]
    assert sum(counts) == 3000 and min(counts) > 400 and max(counts) < 600
    leaves = Schedule(inits=3, start_epochs=1, main_epochs=2, model_expansions=1, online=RANDOM)
    for seed in range(50):
        parents = grown(leaves, seed)
        assert parents == grown(leaves, seed)
        assert parents[6] in (1, 3, 5) and parents[7] in {1, 3, 5, 6} - {parents[6]}


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"inits": 0}, "inits must be at least 1"),
        ({"model_expansions": 0}, "model_expansions must be at least 1"),
        ({"online": "best"}, "there is no online selection 'best'"),
        ({"main_epochs": 10**7}, "at most 1000000 models"),
    ],
)
def test_wrong_schedules(changes: dict[str, object], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        Schedule(**changes)  # type: ignore[arg-type]


def test_wrong_selections() -> None:
    one = [Candidate(0, None, None, None)]
    with pytest.raises(UsageError, match="needs test tasks"):
        select_offline(one, "test", training_tasks=1)
    with pytest.raises(UsageError, match="there is no criterion 'best'"):
        select_offline(one, "best", training_tasks=1)
    with pytest.raises(UsageError, match="no model to select"):
        select_offline([], "loss", training_tasks=1)
