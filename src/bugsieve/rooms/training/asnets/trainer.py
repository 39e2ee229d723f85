"""Epochs of training: runs of the network, questions of the teacher, steps of the optimiser.

This is `trainEpoch` of Algorithms 1 and 2 (papers/003). Who calls it decides which model is
trained next, and for how long.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np

from bugsieve.base.arguments import whole_number
from bugsieve.base.current_activity import doing, progressing
from bugsieve.base.errors import BudgetError, InputError
from bugsieve.base.files_and_processes.closing import Closing
from bugsieve.base.seeds import Stream
from bugsieve.base.stopping import check_stop
from bugsieve.base.wording import counted
from bugsieve.policies.graph import PolicyGraph
from bugsieve.rooms.formats.asnets.grounding import Grounding, ground
from bugsieve.rooms.formats.asnets.policy import AsnetPolicy
from bugsieve.rooms.formats.asnets.signature import Signature
from bugsieve.rooms.formats.asnets.weights import Weights, random_weights
from bugsieve.rooms.training.asnets.data import Examples, TrainingData
from bugsieve.rooms.training.asnets.encoding import Encoder
from bugsieve.rooms.training.asnets.learner import ImitationLearner
from bugsieve.rooms.training.asnets.model import Model
from bugsieve.rooms.training.asnets.options import AsnetOptions
from bugsieve.rooms.training.asnets.teacher import (
    DOWNWARD_SECONDS,
    TeacherQuestion,
    Teachers,
    questions_on,
)
from bugsieve.rooms.training.torch_loading import repeatable, require_torch
from bugsieve.tasks.grounded.task import StateArray, Task


@dataclass(frozen=True, eq=False)
class Epoch:
    """The result of an epoch."""

    model: Model
    examples: tuple[Examples, ...]
    """The examples that entered the data."""
    loss: float
    """The mean over the steps."""
    solved: int
    """Training tasks whose initial state the new model solves."""
    teacher_calls: int
    """Of this session: states without a plan are not asked about twice, unless in a new one."""
    teacher_failures: int
    seconds: dict[str, float] = field(default_factory=dict)
    """Of the rollouts, the teacher and the learning; for reports only."""


@dataclass(frozen=True, eq=False)
class _Rollouts:
    """The runs of one network from the initial states of all training tasks."""

    digest: str
    solved: int
    states: tuple[StateArray, ...]
    """For each task the states met, without goal states."""


@dataclass(frozen=True, eq=False)
class _Lessons:
    examples: tuple[Examples, ...]
    calls: int
    failures: int


class Trainer(Closing):
    """Trains networks of one domain on these tasks; the same for any number of workers."""

    def __init__(self, tasks: Sequence[Task], options: AsnetOptions, *, workers: int = 1) -> None:
        require_torch()
        whole_number(workers, "workers", least=1)
        self.tasks = tuple(tasks)
        self.options = options
        self._groundings = _grounded(self.tasks)
        self.signature: Signature = self._groundings[0].signature
        self._teachers = Teachers(self.tasks, options, workers)
        self._encoder: Encoder | None = None
        self._last: _Rollouts | None = None
        self._failed: set[tuple[int, bytes]] = set()
        """States of tasks from which the teacher has found no plan."""

    def close(self) -> None:
        """End the teachers' processes."""
        self._teachers.close()

    def initial(self, seed: int) -> Model:
        """A model that has learnt nothing."""
        sizes = {"hidden": self.options.hidden, "layers": self.options.layers}
        rng = _generator(seed, "weights")
        return Model(random_weights(self.signature, rng, **sizes))

    def epoch(self, model: Model, data: TrainingData, seed: int) -> Epoch:
        """Let the data grow by what the model meets, then learn from all of it.

        The new model depends on the model, the data and the seed alone.
        """
        seconds: dict[str, float] = {}
        with _timed(seconds, "rollouts"):
            rollouts = self._rollouts(model.weights)
        with _timed(seconds, "teacher"):
            taught = self._teach(rollouts, data)
        with _timed(seconds, "learning"):
            learnt, loss = self._learn(model, data, seed)
        with _timed(seconds, "rollouts"):
            solved = self._rollouts(learnt.weights).solved
        return Epoch(learnt, taught.examples, loss, solved, taught.calls, taught.failures, seconds)

    def _rollouts(self, weights: Weights) -> _Rollouts:
        """One run per task; those of the last network are remembered."""
        digest = weights.digest()
        if self._last is None or self._last.digest != digest:
            with doing(f"running the network on {counted(len(self.tasks), 'task')}"):
                runs = [self._run(grounding, weights) for grounding in self._groundings]
            solved = sum(is_solved for is_solved, _ in runs)
            self._last = _Rollouts(digest, solved, tuple(states for _, states in runs))
        return self._last

    def _run(self, grounding: Grounding, weights: Weights) -> tuple[bool, StateArray]:
        check_stop()
        task = grounding.task
        graph = PolicyGraph(task, AsnetPolicy(grounding, weights, "asnets:training"))
        table = graph.table(task.initial_state, step_limit=self.options.rollout_limit)
        # A run that loops ends in a state it has passed before.
        states = graph.states(np.array(list(dict.fromkeys(table.paths[0].tolist()))))
        return bool(table.solved[0]), states[~task.is_goal(states)]

    def _teach(self, rollouts: _Rollouts, data: TrainingData) -> _Lessons:
        """Ask about all states that are new; all states of the plans enter the data."""
        questions: list[TeacherQuestion] = []
        for task, states in enumerate(rollouts.states):
            rows = [row for row, state in enumerate(states) if self._is_open(task, state, data)]
            questions += questions_on(task, states[rows])
        answers = self._teachers.answers(questions)
        for taught in answers:
            number = taught.examples.task
            self._failed |= {(number, state.tobytes()) for state in taught.failed}
        taken = data.add([taught.examples for taught in answers])
        if not len(data):
            raise self._nothing_learnt(rollouts)
        calls, failures = (
            sum(taught.calls for taught in answers),
            sum(len(taught.failed) for taught in answers),
        )
        return _Lessons(taken, calls, failures)

    def _is_open(self, task: int, state: StateArray, data: TrainingData) -> bool:
        return (task, state) not in data and (task, state.tobytes()) not in self._failed

    def _nothing_learnt(self, rollouts: _Rollouts) -> BudgetError | InputError:
        if not any(map(len, rollouts.states)):
            return InputError("all training tasks begin in their goals: there is nothing to learn")
        options, asked = self.options, counted(len(self._failed), "state")
        limit = counted(options.teacher_expansions, "expansion")
        if options.teacher == "fast-downward":
            limit = f"{DOWNWARD_SECONDS:g} seconds"
        return BudgetError(
            f"there are no examples to learn from: the teacher {options.teacher!r} found no plan "
            f"within {limit} from any of {asked}; allow more or give smaller training tasks"
        )

    def _learn(self, model: Model, data: TrainingData, seed: int) -> tuple[Model, float]:
        if self._encoder is None or self._encoder.data is not data:
            self._encoder = Encoder(self._groundings, data)
        options = self.options
        losses: list[float] = []
        drawing = _generator(seed, "batches")
        with (
            repeatable(threads=1),
            progressing(lambda: f"step {len(losses)} of {options.steps} of the epoch"),
        ):
            learner = ImitationLearner(self.signature, model, options, _generator(seed, "dropout"))
            for _ in range(options.steps):
                check_stop()
                numbers = data.sample(drawing, options.batch)
                losses.append(learner.step(self._encoder.batch(numbers)))
            return learner.model(), float(np.mean(losses))


def _grounded(tasks: Sequence[Task]) -> tuple[Grounding, ...]:
    """The tasks as networks see them; InputError unless all are of one domain."""
    if not tasks:
        raise InputError("there are no training tasks: give at least one problem to train on")
    with doing(f"grounding {counted(len(tasks), 'training task')}"):
        groundings = tuple(map(ground, tasks))
    first = groundings[0]
    for other in groundings[1:]:
        if (other.signature.digest, list(other.signature.predicates)) != (
            first.signature.digest,
            list(first.signature.predicates),
        ):
            raise InputError(
                f"{other.task.name}: its domain {other.signature.domain!r} is not the domain "
                f"{first.signature.domain!r} of {first.task.name}; a network is trained on tasks "
                "of one domain, with the same actions and predicates in the same order"
            )
    if not any(len(grounding.actions) for grounding in groundings):
        raise InputError("the training tasks have no actions: there is nothing to learn")
    return groundings


def _generator(seed: int, name: str) -> np.random.Generator:
    word = Stream(seed, "train-asnets", name).word()
    return np.random.Generator(np.random.PCG64(word))


@contextmanager
def _timed(seconds: dict[str, float], name: str) -> Iterator[None]:
    start = time.perf_counter()
    try:
        yield
    finally:
        seconds[name] = seconds.get(name, 0.0) + time.perf_counter() - start
