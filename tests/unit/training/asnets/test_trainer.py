"""Epochs: the same whoever teaches and wherever they begin; what cannot be learnt is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bugsieve.base.errors import BudgetError, InputError, UnsupportedError, UsageError
from bugsieve.base.stopping import Stopped, StopToken
from bugsieve.pipeline.oracles.fast_downward import find_fast_downward
from bugsieve.policies.runs import run_policy
from bugsieve.rooms.formats.asnets.policy import AsnetPolicy
from bugsieve.rooms.training.asnets.data import Examples, TrainingData
from bugsieve.rooms.training.asnets.line import train_line
from bugsieve.rooms.training.asnets.model import Model
from bugsieve.rooms.training.asnets.options import AsnetOptions
from bugsieve.rooms.training.asnets.teacher import Teacher, TeacherSetup, questions_on
from bugsieve.rooms.training.asnets.trainer import Epoch, Trainer
from bugsieve.tasks.grounded.loading import load_task
from bugsieve.tasks.grounded.task import Task
from bugsieve.tasks.search import astar
from tests.unit.policies.asnets.tasks import written
from tests.unit.training.asnets.lessons import QUICK, blocks, examples, gripper, grounded

pytest.importorskip("torch", reason="PyTorch is not installed")

TASKS = (blocks(3), blocks(4, 1), blocks(5, 2))


def told(epoch: Epoch) -> tuple[object, ...]:
    """All of an epoch but its times."""
    added = [part.to_bytes() for part in epoch.examples]
    return (epoch.model.to_bytes(), added, epoch.loss, epoch.solved)


def copied(data: TrainingData) -> TrainingData:
    """The same data after they were stored."""
    again = TrainingData()
    again.add([Examples.from_bytes(part.to_bytes(), TASKS) for part in data.examples])
    return again


def test_a_restored_model_goes_on_as_the_live_one() -> None:
    with Trainer(TASKS, QUICK) as trainer, Trainer(TASKS, QUICK) as other:
        data = TrainingData()
        first = trainer.epoch(trainer.initial(3), data, 1)
        stored = copied(data)
        live = trainer.epoch(first.model, data, 2)
        model = Model.from_bytes(first.model.to_bytes(), other.signature, name="m")
        assert told(other.epoch(model, stored, 2)) == told(live)
        assert live.model.moments is not None
        assert live.model.moments.steps == 2 * QUICK.steps
        without = Model(first.model.weights)
        assert told(other.epoch(without, stored, 2))[0] != told(live)[0]


def test_seeds_and_models_make_a_difference() -> None:
    with Trainer(TASKS, QUICK) as trainer:
        data = TrainingData()
        model = trainer.initial(3)
        one = trainer.epoch(model, data, 1)
        assert told(trainer.epoch(model, data, 1))[0] == told(one)[0]
        assert told(trainer.epoch(model, data, 2))[0] != told(one)[0]
        assert trainer.initial(4).weights.digest() != model.weights.digest()
        assert trainer.initial(3).weights.digest() == model.weights.digest()


def test_workers_change_nothing() -> None:
    found = []
    for workers in (1, 2):
        with Trainer(TASKS, QUICK, workers=workers) as trainer:
            epoch = trainer.epoch(trainer.initial(1), TrainingData(), 5)
            found.append((told(epoch), epoch.teacher_calls, epoch.teacher_failures))
    assert found[0] == found[1]


def test_the_teacher_labels_what_runs_meet_and_what_its_plans_pass() -> None:
    with Trainer(TASKS, QUICK) as trainer:
        data = TrainingData()
        model = trainer.initial(0)
        epoch = trainer.epoch(model, data, 0)
        assert sum(map(len, epoch.examples)) == len(data)
        for number, task in enumerate(TASKS):
            policy = AsnetPolicy(grounded(task), model.weights, "asnets:x")
            (run,) = run_policy(task, policy, task.initial_state, step_limit=1000)
            for state in run.states(task):
                assert ((number, state) in data) is not bool(task.is_goal(state)[0])
        for part in epoch.examples:
            task = TASKS[part.task]
            after = task.successors(part.states, part.labels)
            for state, following in zip(part.states, after, strict=True):
                # Optimal plans: each step brings the goal nearer by what it costs.
                left = astar(task, state).cost
                assert left is not None
                assert astar(task, following).cost == left - 1
                assert (part.task, following) in data or task.is_goal(following)[0]
        again = trainer.epoch(model, data, 0)
        assert (again.examples, again.teacher_calls) == ((), 0)


def test_solved_counts_what_the_new_model_solves() -> None:
    options = AsnetOptions(steps=150, batch=16)
    tasks = (gripper(1), gripper(2))
    with Trainer(tasks, options) as trainer:
        epoch = trainer.epoch(trainer.initial(0), TrainingData(), 0)
    solved = 0
    for task in tasks:
        policy = AsnetPolicy(grounded(task), epoch.model.weights, "asnets:x")
        solved += run_policy(task, policy, task.initial_state)[0].solved
    assert epoch.solved == solved == len(tasks)
    assert set(epoch.seconds) == {"rollouts", "teacher", "learning"}


def test_learning_lowers_the_loss() -> None:
    with Trainer(TASKS, AsnetOptions(steps=60, batch=16, dropout=0.0)) as trainer:
        model, data, losses = trainer.initial(0), TrainingData(), []
        for seed in range(3):
            epoch = trainer.epoch(model, data, seed)
            model = epoch.model
            losses.append(epoch.loss)
    assert losses[2] < 0.7 * losses[0]


def test_states_without_a_plan_are_counted_and_not_asked_about_again() -> None:
    hard = AsnetOptions(hidden=4, steps=2, batch=4, teacher_expansions=8)
    with Trainer([gripper(1), gripper(6)], hard) as trainer:
        data, model = TrainingData(), trainer.initial(0)
        first = trainer.epoch(model, data, 0)
        assert first.teacher_failures > 0
        assert len(data) > 0
        again = trainer.epoch(model, data, 0)
        assert (again.teacher_calls, again.teacher_failures) == (0, 0)


@pytest.mark.parametrize("teacher", ["astar", "greedy"])
def test_a_teacher_that_solves_nothing_is_an_error(teacher: str) -> None:
    options = AsnetOptions(teacher=teacher, teacher_expansions=1)
    with (
        Trainer([blocks(5, 2)], options) as trainer,
        pytest.raises(BudgetError, match=f"no examples to learn from: the teacher '{teacher}'"),
    ):
        trainer.epoch(trainer.initial(0), TrainingData(), 0)


@pytest.mark.parametrize("teacher", ["astar", "greedy", "fast-downward"])
def test_all_teachers_give_plans(teacher: str) -> None:
    if teacher == "fast-downward":
        try:
            find_fast_downward()
        except UnsupportedError:
            pytest.skip("Fast Downward is not installed")
    task = blocks(4, 1)
    (question,) = questions_on(0, task.initial_state[np.newaxis])
    taught = Teacher([task], TeacherSetup((), teacher, 1000)).teach(question)
    state = task.initial_state
    for row, label in zip(taught.examples.states, taught.examples.labels, strict=True):
        assert np.array_equal(row, state)
        (state,) = task.successors(state, [label])
    assert task.is_goal(state)[0]
    assert (taught.calls, len(taught.failed)) == (1, 0)


def test_a_plan_spares_the_states_on_it() -> None:
    task = blocks(4, 1)
    plan = astar(task, task.initial_state).plan
    assert plan is not None
    states = [task.initial_state]
    for operator in plan[:-1]:
        states.append(task.successors(states[-1], [operator])[0])
    taught = Teacher([task], TeacherSetup((), "astar", 1000)).teach(
        questions_on(0, np.array(states))[0]
    )
    assert taught.calls == 1
    assert [len(part.states) for part in questions_on(0, np.zeros((33, 1), np.uint16))] == [
        16,
        16,
        1,
    ]


def test_training_sets_that_cannot_be_used(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there are no training tasks"):
        Trainer([], QUICK)
    with pytest.raises(InputError, match="its domain 'gripper.*' is not the domain 'blocks"):
        Trainer([blocks(3), gripper(2)], QUICK)
    sas = tmp_path / "task.sas"
    sas.write_text(blocks(3).to_sas())
    with pytest.raises(UnsupportedError, match="this task comes from SAS"):
        Trainer([load_task(str(sas))], QUICK)
    with pytest.raises(UsageError, match="workers must be at least 1"):
        Trainer([blocks(3)], QUICK, workers=0)


def test_tasks_that_begin_in_their_goals_teach_nothing(tmp_path: Path) -> None:
    domain = """(define (domain d) (:predicates (p) (q))
      (:action a :parameters () :precondition (p) :effect (and (q) (not (p))))
      (:action b :parameters () :precondition (q) :effect (and (p) (not (q)))))"""
    problem = "(define (problem x) (:domain d) (:init (p)) (:goal (p)))"
    task: Task = written(tmp_path, domain, problem)
    with Trainer([task], QUICK) as trainer, pytest.raises(InputError, match="nothing to learn"):
        trainer.epoch(trainer.initial(0), TrainingData(), 0)


def test_training_can_be_stopped() -> None:
    token = StopToken()
    with Trainer(TASKS, QUICK) as trainer:
        model, data = trainer.initial(0), TrainingData()
        data.add([examples(TASKS[0])])
        token.stop()
        with token.active(), pytest.raises(Stopped):
            trainer.epoch(model, data, 0)


def test_a_line_ends_early_or_at_its_last_epoch() -> None:
    options = AsnetOptions(steps=150, batch=16)
    told: list[Epoch] = []
    line = train_line([gripper(1)], options, max_epochs=9, patience=2, on_epoch=told.append)
    assert line.ended_early
    assert [epoch.solved for epoch in line.epochs][-2:] == [1, 1]
    assert tuple(told) == line.epochs
    assert line.model is line.epochs[-1].model
    short = train_line([gripper(1)], options, max_epochs=1, patience=2)
    assert not short.ended_early
    assert short.model.to_bytes() == line.epochs[0].model.to_bytes()
